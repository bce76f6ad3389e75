import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { ApiError, renderError } from '../../../../../../api/api-error.ts'
import { requireCaller } from '../../../../../../api/require-caller.ts'
import { streamEvents } from '../../../../../../playground/event-stream.ts'
import { type AnswerEnd, type FollowedMessage, followAnswer } from '../../../../../../playground/follow-answer.ts'
import { playgroundLimits as limits } from '../../../../../../playground/limits.ts'
import { readContent } from '../../../../../../playground/read-content.ts'
import { sayInSession } from '../../../../../../playground/say-in-session.ts'

const sessionShape = z.string().regex(/^[\w-]{1,64}$/, 'The session id has 1 to 64 letters, digits, _ or -.')
const bodyShape = z.strictObject({
  message: z.string().min(1, 'message: expected a text.').max(limits.messageLength),
  agentId: z.string().min(1).max(64).optional(),
  /** Sent again with the same one, the message is taken once. */
  eventId: z.string().min(1).max(100).optional(),
})

/** `POST /api/playground/sessions/:id/chat`, as in the iofold document. A session that is new is opened. */
export async function POST(request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  try {
    const { caller, findAgain } = await requireCaller(request, { role: 'member', scope: 'playground' })
    const { workspaceId, memberId } = caller
    const sessionId = check(sessionShape, (await params).id)
    const { message, agentId, eventId } = check(bodyShape, await readJson(request))
    const read = readContent(message, [])
    if (!read.ok) throw new ApiError('VALIDATION_ERROR', read.message)
    const said = await sayInSession({
      workspaceId,
      memberId,
      sessionId,
      agentId,
      eventId: eventId ?? randomUUID(),
      content: read.content,
    })
    if (said.outcome === 'no-agent' || said.conversationId === null || said.messageNumber === null)
      throw new ApiError(
        'NOT_FOUND',
        'There is no such agent here: a new session needs the agentId of one, and keeps it.',
      )
    const followed = { workspaceId, memberId, conversationId: said.conversationId, messageNumber: said.messageNumber }
    if (wantsJson(request)) {
      const end = await followAnswer(followed, () => {}, request.signal)
      return Response.json({ sessionId, ...end }, { headers: { 'Cache-Control': 'no-store' } })
    }
    return streamAnswer(request, sessionId, followed, async () => {
      const again = await findAgain()
      return again?.memberId === memberId && again.workspaceId === workspaceId
    })
  } catch (error) {
    return renderError(error)
  }
}

function streamAnswer(
  request: Request,
  sessionId: string,
  followed: FollowedMessage,
  isStillAllowed: () => Promise<boolean>,
): Response {
  return streamEvents(
    request.signal,
    (stream) => {
      const gone = new AbortController()
      const tell = (end: AnswerEnd) => stream.send('end', { sessionId, ...end })
      void followAnswer(
        followed,
        ({ type, ...data }) => void (type === 'text' ? stream.trySend(type, data) : stream.send(type, data)),
        gone.signal,
      )
        .then((end) => gone.signal.aborted || tell(end))
        .catch((error) => {
          console.error('console: an answer could not be followed:', error)
          stream.send('error', { code: 'INTERNAL_ERROR', message: 'This did not work. The console’s log says why.' })
        })
        .finally(() => stream.end())
      return () => gone.abort()
    },
    isStillAllowed,
  )
}

const wantsJson = (request: Request) =>
  /application\/json/i.test(request.headers.get('accept') ?? '') &&
  !/text\/event-stream/i.test(request.headers.get('accept') ?? '')

async function readJson(request: Request): Promise<unknown> {
  const length = Number(request.headers.get('content-length') ?? 0)
  // A character is at most 6 bytes of JSON.
  const most = limits.messageLength * 6 + 4_096
  if (length > most) throw new ApiError('VALIDATION_ERROR', `The body is larger than ${most} bytes.`)
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > most) throw new ApiError('VALIDATION_ERROR', `The body is larger than ${most} bytes.`)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError('VALIDATION_ERROR', 'The body is not JSON.')
  }
}

function check<T>(shape: z.ZodType<T>, value: unknown): T {
  const parsed = shape.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = issue?.path.join('.')
  const message = issue?.message ?? 'The request is not what is expected.'
  throw new ApiError('VALIDATION_ERROR', where && !message.startsWith(where) ? `${where}: ${message}` : message)
}
