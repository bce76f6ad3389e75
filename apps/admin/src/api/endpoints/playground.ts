// The playground over REST. Its words are those of the iofold document (`message`, `agentId`) and of the console's page,
// which reads the same addresses.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { listSessions as listOwnSessions } from '../../app/(console)/playground/queries.ts'
import { data } from '../../data.ts'
import { streamEvents } from '../../playground/event-stream.ts'
import { type AnswerEnd, type FollowedMessage, followAnswer } from '../../playground/follow-answer.ts'
import { playgroundLimits } from '../../playground/limits.ts'
import { readContent } from '../../playground/read-content.ts'
import { readSession } from '../../playground/read-session.ts'
import { findSessionOf, sayInSession } from '../../playground/say-in-session.ts'
import { runtime } from '../../runtime.ts'
import { ApiError } from '../api-error.ts'
import { endpoint } from '../endpoint.ts'
import type { Caller } from '../require-caller.ts'
import { sendFile } from '../send-file.ts'
import { idShape, nextShape, notFound, pageQuery, readAfter, timeShape } from '../shapes.ts'

const access = { area: 'Playground', role: 'member', scope: 'playground' } as const
const params = z.strictObject({ id: idShape.describe('The session’s id, or the name that its member gave it.') })

const runStatus = z.enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'stopped'])
const cardShape = z.looseObject({ id: z.string(), kind: z.string(), title: z.string() }).meta({ id: 'PlaygroundCard' })

const sessionShape = z
  .strictObject({
    id: z.string(),
    agentId: z.string(),
    agentName: z.string(),
    title: z.string(),
    openedBy: z.string().nullable(),
    createdAt: timeShape,
    lastActivityAt: timeShape,
    runStatus: runStatus.nullable().describe('Of its newest run.'),
  })
  .meta({ id: 'PlaygroundSession' })

export const listSessions = endpoint({
  ...access,
  method: 'GET',
  path: '/api/playground/sessions',
  summary: 'List the caller’s own sessions',
  description: 'The most recent first.',
  query: z.strictObject(pageQuery),
  answer: {
    status: 200,
    description: 'A page of sessions.',
    schema: z.strictObject({ sessions: z.array(sessionShape), next: nextShape }),
  },
  work: async ({ caller, query: { limit, after } }) => {
    const { sessions, next } = await listOwnSessions(caller, { after: readAfter(after), limit })
    return {
      sessions: sessions.map(({ createdAt, lastActivityAt, runStatus: status, ...session }) => ({
        ...session,
        createdAt: createdAt.toISOString(),
        lastActivityAt: lastActivityAt.toISOString(),
        runStatus: status as z.input<typeof runStatus> | null,
      })),
      next,
    }
  },
})

const sessionViewShape = z
  .strictObject({
    id: z.string(),
    title: z.string(),
    agent: z.strictObject({ id: z.string(), name: z.string(), archived: z.boolean() }),
    entries: z
      .array(
        z.looseObject({
          kind: z.enum(['said', 'answer', 'activity', 'question', 'notice', 'file']),
          key: z.string(),
        }),
      )
      .describe('What the page shows, in its order.'),
    run: z
      .strictObject({
        id: z.string(),
        status: runStatus,
        stopRequested: z.boolean(),
        error: z.string().nullable(),
      })
      .nullable(),
    before: z.string().nullable().describe('Where what stands before the first entry begins; null: nothing does.'),
  })
  .meta({ id: 'PlaygroundSessionView' })

async function findSession({ workspaceId, memberId }: Caller, sessionId: string): Promise<string> {
  const conversationId = await findSessionOf({ workspaceId, memberId, sessionId })
  if (!conversationId) throw notFound('session')
  return conversationId
}

export const getSession = endpoint({
  ...access,
  method: 'GET',
  path: '/api/playground/sessions/{id}',
  summary: 'Read a session as its page shows it',
  params,
  query: z.strictObject({
    before: z
      .string()
      .regex(/^\d{1,9}\.\d{1,9}$/, 'expected the `before` of the page after.')
      .optional()
      .describe('The `before` of the page after.'),
  }),
  answer: { status: 200, description: 'The session.', schema: sessionViewShape },
  work: async ({ caller, params: { id }, query: { before } }) => {
    const conversationId = await findSession(caller, id)
    const { workspaceId, memberId } = caller
    const view = await readSession({ workspaceId, memberId, conversationId, ...(before ? { before } : {}) })
    if (!view) throw notFound('session')
    return { ...view, entries: view.entries.map((entry) => ({ ...entry })) }
  },
})

export const chat = endpoint({
  ...access,
  method: 'POST',
  path: '/api/playground/sessions/{id}/chat',
  summary: 'Say something in a session',
  description:
    'Answers with what becomes of it: as server-sent events, or as JSON when it is over, with `Accept: application/json`. A session that is new is opened.',
  params: z.strictObject({
    id: z
      .string()
      .regex(/^[\w-]{1,64}$/, 'The session id has 1 to 64 letters, digits, _ or -.')
      .describe('The session’s id, or a name of your choice for a new one.'),
  }),
  body: z.strictObject({
    message: z.string().min(1, 'expected a text.').max(playgroundLimits.messageLength),
    agentId: z.string().min(1).max(64).optional().describe('Who answers; a new session needs it.'),
    eventId: z.string().min(1).max(100).optional().describe('Sent again with the same one, the message is taken once.'),
  }),
  // A character is at most 6 bytes of JSON.
  bodyBytes: playgroundLimits.messageLength * 6 + 4_096,
  answer: {
    status: 200,
    description: 'What became of it.',
    schema: z.strictObject({
      sessionId: z.string(),
      conversationId: z.string(),
      runId: z.string().nullable(),
      status: runStatus,
      answer: z.string().nullable(),
      question: cardShape.nullable().describe('What a person has to answer first, while it waits.'),
      error: z.string().nullable(),
    }),
    otherTypes: { 'text/event-stream': 'text, restart, message, activity, question, then end.' },
  },
  errors: { NOT_FOUND: 'There is no such agent, or a new session names none.' },
  work: async ({ caller, params: { id: sessionId }, body: { message, agentId, eventId }, request, isStillAllowed }) => {
    const { workspaceId, memberId } = caller
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
    if (!wantsJson(request)) return streamAnswer(request, sessionId, followed, isStillAllowed)
    const { question, ...end } = await followAnswer(followed, () => {}, request.signal)
    return { sessionId, ...end, question: question && { ...question } }
  },
})

const wantsJson = (request: Request) =>
  /application\/json/i.test(request.headers.get('accept') ?? '') &&
  !/text\/event-stream/i.test(request.headers.get('accept') ?? '')

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
        ({ type, ...about }) => void (type === 'text' ? stream.trySend(type, about) : stream.send(type, about)),
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

export const followSession = endpoint({
  ...access,
  method: 'GET',
  path: '/api/playground/sessions/{id}/events',
  summary: 'Be told what happens in a session',
  params,
  answer: {
    status: 200,
    description: 'Server-sent events: `changed` says to read anew, `live` has what is being written right now.',
    otherTypes: { 'text/event-stream': 'Events until the caller leaves, or may not read any more.' },
  },
  work: async ({ caller, params: { id }, request, isStillAllowed }) => {
    const conversationId = await findSession(caller, id)
    return streamEvents(
      request.signal,
      (stream) => {
        let missed = false
        return runtime().live.follow(
          { workspaceId: caller.workspaceId, conversationId },
          (event) => {
            if (event.kind !== 'live') return void stream.send(event.kind, {})
            if (missed && stream.trySend('gap', {})) missed = false
            if (!stream.trySend('live', { runId: event.runId, ...event.event })) missed = true
          },
          () => stream.end(),
        )
      },
      isStillAllowed,
    )
  },
})

export const getSessionFile = endpoint({
  ...access,
  method: 'GET',
  path: '/api/playground/sessions/{id}/files/{file}',
  summary: 'Get a file that the agent sent in a session',
  params: z.strictObject({ ...params.shape, file: idShape }),
  answer: {
    status: 200,
    description: 'The file. Only pictures come with a type of their own.',
    otherTypes: { 'application/octet-stream': 'Any file.', 'image/*': 'A picture.' },
  },
  work: async ({ caller, params: { id, file: deliveryId } }) => {
    const conversationId = await findSession(caller, id)
    const { workspaceId } = caller
    const file = await data.readDeliveredFile(runtime().db, { workspaceId, conversationId, deliveryId })
    if (!file) throw notFound('file')
    return sendFile(file)
  },
})
