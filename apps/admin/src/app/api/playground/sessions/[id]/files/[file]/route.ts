import { ApiError, renderError } from '../../../../../../../api/api-error.ts'
import { requireCaller } from '../../../../../../../api/require-caller.ts'
import { data } from '../../../../../../../data.ts'
import { imageTypes } from '../../../../../../../playground/limits.ts'
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
    // Whatever it is, it is not a page of ours: only pictures are shown, and nothing in it runs.
    const isShown = imageTypes.includes(file.mimeType)
    const name = encodeURIComponent(file.filename).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)
    return new Response(new Uint8Array(file.content), {
      headers: {
        'Content-Type': isShown ? file.mimeType : 'application/octet-stream',
        'Content-Disposition': `${isShown ? 'inline' : 'attachment'}; filename*=UTF-8''${name}`,
        'Content-Security-Policy': "default-src 'none'; sandbox",
        'X-Content-Type-Options': 'nosniff',
        'Cache-Control': 'private, max-age=3600, immutable',
      },
    })
  } catch (error) {
    return renderError(error)
  }
}
