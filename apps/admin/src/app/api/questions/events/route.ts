import { renderError } from '../../../../api/api-error.ts'
import { requireCaller } from '../../../../api/require-caller.ts'
import { streamEvents } from '../../../../playground/event-stream.ts'
import { runtime } from '../../../../runtime.ts'

/** At most this often is a page told to read anew, however much happens. */
const restMs = 400

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
        let resting: NodeJS.Timeout | undefined
        const tell = () => {
          resting ??= setTimeout(() => {
            resting = undefined
            stream.send('changed', {})
          }, restMs)
        }
        const leave = runtime().live.watch(workspaceId, tell, () => stream.end())
        return () => {
          clearTimeout(resting)
          leave()
        }
      },
      isStillAllowed,
    )
  } catch (error) {
    return renderError(error)
  }
}
