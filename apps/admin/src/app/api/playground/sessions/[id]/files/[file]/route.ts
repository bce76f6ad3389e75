import { ApiError, renderError } from '../../../../../../../api/api-error.ts'
import { requireCaller } from '../../../../../../../api/require-caller.ts'
import { sendFile } from '../../../../../../../api/send-file.ts'
import { data } from '../../../../../../../data.ts'
import { findSessionOf } from '../../../../../../../playground/say-in-session.ts'
import { runtime } from '../../../../../../../runtime.ts'

/** A file that the agent sent in a session of the caller's own. */
export async function GET(
  request: Request,
  { params }: { params: Promise<{ id: string; file: string }> },
): Promise<Response> {
  try {
    const { caller } = await requireCaller(request, { role: 'member', scope: 'playground' })
    const { id, file: deliveryId } = await params
    const conversationId = await findSessionOf({ ...caller, sessionId: id })
    const { workspaceId } = caller
    const file =
      conversationId && (await data.readDeliveredFile(runtime().db, { workspaceId, conversationId, deliveryId }))
    if (!file) throw new ApiError('NOT_FOUND', 'There is no such file.')
    return sendFile(file)
  } catch (error) {
    return renderError(error)
  }
}
