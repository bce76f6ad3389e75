import { type Database, type MasterKeys, openSecretsForCall } from '@quartermaster/db'
import type { SecretSource } from '@quartermaster/tools'

/** The executor's view of stored secrets: a scope's values for one caller, or null, which refuses the call. */
export function createSecretSource(db: Database, keys: MasterKeys): SecretSource {
  return {
    async read(scope, { workspaceId, agentId, runId }, toolName) {
      const use = { toolName, runId }
      const { values, missing } = await openSecretsForCall(db, keys, { workspaceId, agentId, scopes: [scope], use })
      return missing.length ? null : values
    },
  }
}
