import type { Actor, Role } from '@quartermaster/db'
import { data } from '../data.ts'
import { runtime } from '../runtime.ts'
import { readSessionToken } from '../session.ts'
import { ApiError } from './api-error.ts'

/** Who calls the REST API, in which of their workspaces. */
export interface Caller {
  workspaceId: string
  memberId: string
  role: Role
  actor: Actor
  by: 'key' | 'session'
}

interface Needed {
  role: Role
  /** What a key must have been made for; null: no key will do. A session of the console may do what its member may. */
  scope: string | null
}

/** Finds the caller anew, or null: a revoked key or session, a disabled member and a lost role count at once. */
export type FindCaller = () => Promise<Caller | null>

/**
 * By an API key or by a session, never by both: whoever sends a key is only what the key says. `X-Workspace-Id`
 * chooses among the workspaces that the caller has; any other one does not exist. `onFound` gets what the calls of this
 * key or session are counted by, before it is said whether this one is allowed.
 */
export async function requireCaller(
  request: Request,
  needed: Needed,
  onFound: (credential: string) => Promise<void> = async () => {},
): Promise<{ caller: Caller; findAgain: FindCaller }> {
  const authorization = request.headers.get('authorization')
  const find = authorization === null ? await bySession(request) : byKey(request, authorization, needed.scope)
  const found = await find()
  if (!found) throw new ApiError('UNAUTHORIZED', 'Send an API key as "Authorization: Bearer qm_…".')
  await onFound(found.credential)
  if (found.refused === 'no-workspace') throw new ApiError('NOT_FOUND', 'There is no such workspace.')
  if (found.refused !== null)
    throw new ApiError(
      'FORBIDDEN',
      needed.scope === null
        ? 'No key opens this: it is for the console’s own pages.'
        : `This key lacks the scope ${needed.scope}.`,
    )
  const { caller } = found
  if (!data.atLeast(caller.role, needed.role))
    throw new ApiError('FORBIDDEN', `This needs the role ${needed.role}; yours is ${caller.role}.`)
  return {
    caller,
    findAgain: async () => {
      const again = await find()
      return again && !again.refused && data.atLeast(again.caller.role, needed.role) ? again.caller : null
    },
  }
}

type Found =
  | { credential: string; refused: null; caller: Caller }
  | { credential: string; refused: 'no-workspace' | 'no-scope' }
  | null

function byKey(request: Request, authorization: string, scope: string | null): () => Promise<Found> {
  const key = /^Bearer (qm_[\w-]{1,200})$/i.exec(authorization)?.[1]
  const wanted = request.headers.get('x-workspace-id')
  return async () => {
    const found = key ? await data.findApiKey(runtime().db, key) : null
    if (!found) return null
    const credential = `key:${found.id}`
    if (wanted !== null && wanted !== found.workspaceId) return { credential, refused: 'no-workspace' }
    if (scope === null || !(found.scopes.includes(scope) || found.scopes.includes('*')))
      return { credential, refused: 'no-scope' }
    return { credential, refused: null, caller: callerOf(found, 'key') }
  }
}

async function bySession(request: Request): Promise<() => Promise<Found>> {
  const { token, chosenWorkspace } = await readSessionToken()
  const wanted = request.headers.get('x-workspace-id')
  return async () => {
    const session = token ? await data.findSession(runtime().db, token) : null
    if (!session) return null
    const credential = `session:${session.id}`
    const membership =
      wanted !== null
        ? session.memberships.find((candidate) => candidate.workspaceId === wanted)
        : (session.memberships.find((candidate) => candidate.workspaceId === chosenWorkspace) ?? session.memberships[0])
    if (!membership) return { credential, refused: 'no-workspace' }
    return { credential, refused: null, caller: callerOf(membership, 'session') }
  }
}

const callerOf = (member: Pick<Caller, 'workspaceId' | 'memberId' | 'role'>, by: Caller['by']): Caller => ({
  workspaceId: member.workspaceId,
  memberId: member.memberId,
  role: member.role,
  actor: { kind: 'member', id: member.memberId },
  by,
})
