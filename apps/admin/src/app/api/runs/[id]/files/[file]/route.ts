import { ApiError, renderError } from '../../../../../../api/api-error.ts'
import { requireCaller } from '../../../../../../api/require-caller.ts'
import { sendFile } from '../../../../../../api/send-file.ts'
import { data } from '../../../../../../data.ts'
import { runtime } from '../../../../../../runtime.ts'

/** A file that a run of the workspace sent to people. */
export async function GET(
  request: Request,
  { params }: { params: Promise<{ id: string; file: string }> },
): Promise<Response> {
  try {
    const { caller } = await requireCaller(request, { role: 'viewer', scope: 'runs' })
    const { workspaceId } = caller
    const { id, file: deliveryId } = await params
    const { db } = runtime()
    const { rows } = await db.pool.query(
      'SELECT conversation_id FROM deliveries WHERE id = $1 AND run_id = $2 AND workspace_id = $3',
      [deliveryId, id, workspaceId],
    )
    const conversationId: string | undefined = rows[0]?.conversation_id
    const file = conversationId && (await data.readDeliveredFile(db, { workspaceId, conversationId, deliveryId }))
    if (!file) throw new ApiError('NOT_FOUND', 'There is no such file.')
    return sendFile(file)
  } catch (error) {
    return renderError(error)
  }
}
