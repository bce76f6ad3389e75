import { renderError } from '../../../../api/api-error.ts'
import { followCalls } from '../../../../executions/follow-calls.ts'
import { readCallRequest } from '../../../../executions/read-call-request.ts'
import { streamEvents } from '../../../../playground/event-stream.ts'

/** The executions of the workspace as they come and go on, through the same filters as the list. */
export async function GET(request: Request): Promise<Response> {
  try {
    const { caller, findAgain, filter } = await readCallRequest(request)
    const { workspaceId, memberId } = caller
    const isStillAllowed = async () => {
      const again = await findAgain()
      return again?.memberId === memberId && again.workspaceId === workspaceId
    }
    return streamEvents(request.signal, (stream) => followCalls(workspaceId, filter, stream), isStillAllowed)
  } catch (error) {
    return renderError(error)
  }
}
