import { renderError } from '../../../../api/api-error.ts'
import { requireCaller } from '../../../../api/require-caller.ts'
import { streamEvents } from '../../../../playground/event-stream.ts'
import { runtime } from '../../../../runtime.ts'
import { tellWithRest } from '../../../../tell-with-rest.ts'

/** At most this often is a page told to read anew, however much happens. */
const restMs = 150

/** Tells a page that questions of the workspace may have changed. What counts it reads elsewhere. */
export async function GET(request: Request): Promise<Response> {
  try {
    const { caller, findAgain } = await requireCaller(request, { role: 'viewer', scope: 'questions' })
    const { workspaceId, memberId } = caller
    const isStillAllowed = async () => {
      const again = await findAgain()
      return again?.memberId === memberId && again.workspaceId === workspaceId
    }
    return streamEvents(
      request.signal,
      (stream) => {
        const changed = tellWithRest(() => stream.send('changed', {}), restMs)
        const leave = runtime().live.watch(workspaceId, changed.call, () => stream.end())
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
