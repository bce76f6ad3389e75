import { ApiError, renderError } from '../../../../../api/api-error.ts'
import { requireCaller } from '../../../../../api/require-caller.ts'
import { readSession } from '../../../../../playground/read-session.ts'
import { findSessionOf } from '../../../../../playground/say-in-session.ts'

export async function GET(request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  try {
    const { caller } = await requireCaller(request, { role: 'member', scope: 'playground' })
    const conversationId = await findSessionOf({ ...caller, sessionId: (await params).id })
    const before = new URL(request.url).searchParams.get('before')
    const view = conversationId && (await readSession({ ...caller, conversationId, ...(before ? { before } : {}) }))
    if (!view) throw new ApiError('NOT_FOUND', 'There is no such session.')
    return Response.json(view, { headers: { 'Cache-Control': 'no-store' } })
  } catch (error) {
    return renderError(error)
  }
}
