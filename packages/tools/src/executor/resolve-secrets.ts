// The values of the scopes that the tool declares and the agent was granted, and no others. One that is missing refuses
// the call before anything runs, and says which.
import type { AnyTool } from '../contract.ts'
import type { Caller, SecretSource, SecretValues } from './outcome.ts'
import { Refusal } from './refusal.ts'

export const noSecrets: SecretValues = new Map()

export async function resolveSecrets(
  tool: AnyTool,
  caller: Caller,
  source: SecretSource | undefined,
): Promise<SecretValues | Refusal> {
  const values = new Map<string, string>()
  for (const scope of tool.requiredSecretScopes ?? []) {
    const found = await source?.read(scope, caller, tool.name)
    if (!found || found.size === 0) {
      return new Refusal(
        'missing_secret',
        `Tool '${tool.name}' needs the secret scope '${scope}', which this agent was not granted or which has no value. It was not run.`,
      )
    }
    for (const [name, value] of found) values.set(name, value)
  }
  return values
}
