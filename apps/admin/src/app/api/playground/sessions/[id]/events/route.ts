import { ApiError, renderError } from '../../../../../../api/api-error.ts'
import { requireCaller } from '../../../../../../api/require-caller.ts'
import { streamEvents } from '../../../../../../playground/event-stream.ts'
import { findSessionOf } from '../../../../../../playground/say-in-session.ts'
import { runtime } from '../../../../../../runtime.ts'

/** Tells a page that its session changed, and what is being written right now. What counts it reads elsewhere. */
export async function GET(request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  try {
    const { caller, findAgain } = await requireCaller(request, { role: 'member', scope: 'playground' })
    const { workspaceId, memberId } = caller
    const conversationId = await findSessionOf({ workspaceId, memberId, sessionId: (await params).id })
    if (!conversationId) throw new ApiError('NOT_FOUND', 'There is no such session.')
    const isStillAllowed = async () => {
      const again = await findAgain()
      return again?.memberId === memberId && again.workspaceId === workspaceId
    }
    return streamEvents(
      request.signal,
      (stream) => {
        let missed = false
        return runtime().live.follow(
          { workspaceId, conversationId },
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
  } catch (error) {
    return renderError(error)
  }
}
