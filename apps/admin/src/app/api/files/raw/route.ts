import { ApiError, renderError } from '../../../../api/api-error.ts'
import { requireCaller } from '../../../../api/require-caller.ts'
import { imageTypes } from '../../../../playground/limits.ts'
import { toolKit } from '../../../../tool-kit.ts'
import { findWorkFolder } from '../../../../work-folder.ts'
import { fileLimits } from '../../../(console)/files/limits.ts'
import { readVirtualFile } from '../../../(console)/files/queries.ts'

/** A file of the work folder or a virtual one, as it is: a picture to show, anything else to download. */
export async function GET(request: Request): Promise<Response> {
  try {
    const { caller } = await requireCaller(request, { role: 'member', scope: 'files' })
    const asked = new URL(request.url).searchParams
    const file = asked.get('file') ?? ''
    const found =
      asked.get('in') === 'virtual'
        ? await readVirtualFile(caller.workspaceId, file)
        : await readWorkFile(caller.workspaceId, file)
    if (!found) throw new ApiError('NOT_FOUND', 'There is no such file.')
    const bytes = new Uint8Array(found.content)
    const { mimeType } = await toolKit.mediaTypeOf(bytes)
    // Whatever it is, it is not a page of ours: only pictures are shown, by their bytes, and nothing in it runs.
    const isShown = imageTypes.includes(mimeType) && !asked.has('download')
    const name = encodeURIComponent(found.path.split('/').at(-1) ?? 'file').replace(
      /['()*]/g,
      (mark) => `%${mark.charCodeAt(0).toString(16)}`,
    )
    return new Response(bytes, {
      headers: {
        'Content-Type': isShown ? mimeType : 'application/octet-stream',
        'Content-Disposition': `${isShown ? 'inline' : 'attachment'}; filename*=UTF-8''${name}`,
        'Content-Security-Policy': "default-src 'none'; sandbox",
        'X-Content-Type-Options': 'nosniff',
        'Cache-Control': 'private, no-store',
      },
    })
  } catch (error) {
    return renderError(error)
  }
}

async function readWorkFile(workspaceId: string, path: string): Promise<{ path: string; content: Uint8Array } | null> {
  const folder = await findWorkFolder(workspaceId)
  if (folder.state !== 'there' || !path) return null
  try {
    const file = await toolKit.browseFile(folder.path, path, fileLimits.downloadBytes)
    if (file.size > fileLimits.downloadBytes)
      throw new ApiError(
        'VALIDATION_ERROR',
        `The file is larger than ${fileLimits.downloadBytes} bytes. Fetch it from the machine itself.`,
      )
    return { path: file.path, content: file.bytes }
  } catch (error) {
    if (error instanceof toolKit.PathProblem) return null
    throw error
  }
}
