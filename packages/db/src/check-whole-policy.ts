import type { Queryable } from './client.ts'
import { loadPolicy, type StoredPolicy } from './policy.ts'
import { Problem } from './problem.ts'

/** What is wrong with a policy, a sentence each: packages/tools knows, and whoever changes something passes it on. */
export type CheckPolicy = (policy: StoredPolicy) => readonly string[]

/**
 * What would be wrong with the workspace's policy as this transaction leaves it. A part that does not fit the rest would
 * stop every tool call of the workspace, so nothing is kept that has a problem.
 */
export async function checkWholePolicy(
  tx: Queryable,
  workspaceId: string,
  check: CheckPolicy | undefined,
): Promise<readonly string[]> {
  if (!check) return []
  try {
    const policy = await loadPolicy({ pool: tx }, workspaceId)
    return policy ? check(policy) : []
  } catch (error) {
    // Another part cannot be read. Everything is refused until all of them are set right, one after the other.
    if (error instanceof Problem) return []
    throw error
  }
}
