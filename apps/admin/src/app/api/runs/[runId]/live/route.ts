import { ApiError, renderError } from '../../../../../api/api-error.ts'
import { requireCaller } from '../../../../../api/require-caller.ts'
import { data } from '../../../../../data.ts'
import { streamEvents } from '../../../../../playground/event-stream.ts'
import { runtime } from '../../../../../runtime.ts'
import { tellWithRest } from '../../../../../tell-with-rest.ts'

/** At most this often is a page told to read anew, however much happens. */
const restMs = 150

/** Tells a page that its run changed, and what is being written right now. What counts it reads elsewhere. */
export async function GET(request: Request, { params }: { params: Promise<{ runId: string }> }): Promise<Response> {
  try {
    const { caller, findAgain } = await requireCaller(request, { role: 'viewer', scope: 'runs' })
    const { workspaceId, memberId } = caller
    const { runId } = await params
    const run = await data.readRun(runtime().db, { workspaceId, runId })
    if (!run) throw new ApiError('NOT_FOUND', 'There is no such run.')
    const isStillAllowed = async () => {
      const again = await findAgain()
      return again?.memberId === memberId && again.workspaceId === workspaceId
    }
    return streamEvents(
      request.signal,
      (stream) => {
        let missed = false
        const changed = tellWithRest(() => stream.send('changed', {}), restMs)
        const leave = runtime().live.follow(
          { workspaceId, conversationId: run.conversation.id },
          (event) => {
            if (event.kind === 'changed') return changed.call()
            if (event.kind === 'gap') return void stream.send('gap', {})
            if (event.runId !== runId) return
            if (missed && stream.trySend('gap', {})) missed = false
            if (!stream.trySend('live', event.event)) missed = true
          },
          () => stream.end(),
        )
        return () => {
          changed.end()
          leave()
        }
      },
      isStillAllowed,
    )
  } catch (error) {
    return renderError(error)
  }
}
