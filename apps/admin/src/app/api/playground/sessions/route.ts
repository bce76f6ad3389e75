import { renderError } from '../../../../api/api-error.ts'
import { requireCaller } from '../../../../api/require-caller.ts'
import { listSessions } from '../../../(console)/playground/queries.ts'

/** The caller's own sessions, the most recent first. */
export async function GET(request: Request): Promise<Response> {
  try {
    const { caller } = await requireCaller(request, { role: 'member', scope: 'playground' })
    const page = await listSessions(caller, new URL(request.url).searchParams.get('before'))
    return Response.json(page, { headers: { 'Cache-Control': 'no-store' } })
  } catch (error) {
    return renderError(error)
  }
}
