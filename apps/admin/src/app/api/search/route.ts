import { renderError } from '../../../api/api-error.ts'
import { requireCaller } from '../../../api/require-caller.ts'
import { searchWorkspace } from '../../../shell/search-workspace.ts'

/** What the palette finds beside the pages: by name, or by a pasted id. */
export async function GET(request: Request): Promise<Response> {
  try {
    const { caller } = await requireCaller(request, { role: 'viewer', scope: 'search' })
    const found = await searchWorkspace(caller, new URL(request.url).searchParams.get('q') ?? '')
    return Response.json({ found }, { headers: { 'Cache-Control': 'no-store' } })
  } catch (error) {
    return renderError(error)
  }
}
