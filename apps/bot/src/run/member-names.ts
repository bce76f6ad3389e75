import { type Database, readMemberNames } from '@quartermaster/db'
import { limits } from '../limits.ts'

/** The names of members, read again from time to time. */
export function createMemberNames(
  db: Pick<Database, 'pool'>,
): (workspaceId: string, memberIds: readonly string[]) => Promise<ReadonlyMap<string, string>> {
  const read = new Map<string, { at: number; name: string }>()
  return async (workspaceId, memberIds) => {
    const now = Date.now()
    const unknown = memberIds.filter((id) => now - (read.get(id)?.at ?? 0) >= limits.memberNamesMs)
    if (unknown.length)
      for (const [id, name] of await readMemberNames(db, workspaceId, unknown)) {
        read.delete(id)
        read.set(id, { at: now, name })
      }
    const names = new Map(memberIds.map((id) => [id, read.get(id)?.name ?? '']))
    while (read.size > limits.memberNames) read.delete(read.keys().next().value as string)
    return names
  }
}
