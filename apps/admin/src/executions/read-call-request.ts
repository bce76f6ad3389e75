import type { Role } from '@quartermaster/db'
import { ApiError } from '../api/api-error.ts'
import { type Caller, type FindCaller, requireCaller } from '../api/require-caller.ts'
import { type CallFilter, parseCallFilter } from './call-filter.ts'

const needed = { role: 'viewer' as Role, scope: 'executions' }

/** Who asks for executions, and for which; a filter that nothing understands is refused. */
export async function readCallRequest(
  request: Request,
): Promise<{ caller: Caller; findAgain: FindCaller; filter: CallFilter; parameters: URLSearchParams }> {
  const { caller, findAgain } = await requireCaller(request, needed)
  const parameters = new URL(request.url).searchParams
  const { filter, wrong } = parseCallFilter(Object.fromEntries(parameters), new Date())
  if (wrong.length) throw new ApiError('VALIDATION_ERROR', `Not understood: ${wrong.join(', ')}.`)
  return { caller, findAgain, filter, parameters }
}
