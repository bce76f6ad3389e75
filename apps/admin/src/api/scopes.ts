// What an API key can be made for. A key's scope opens an area of the REST API; what may be done there is decided by the
// role of the key's member, as in the console. A route asks for its scope in requireCaller.

export interface ApiScope {
  name: string
  label: string
  /** What somebody with the key can do, as far as its member can. */
  about: string
  /** A path to try a new key with. */
  example?: string
}

export const apiScopes = [
  {
    name: 'playground',
    label: 'Playground',
    about: 'Talk with agents, read sessions and their files.',
    example: '/api/playground/sessions',
  },
  { name: 'questions', label: 'Questions', about: 'Read open questions and answer them.' },
  { name: 'runs', label: 'Runs', about: 'Read, follow and export runs; stop and fork them.' },
  { name: 'executions', label: 'Executions', about: 'Read and export the history of tool calls.' },
  { name: 'agents', label: 'Agents', about: 'Read agents; attach and detach their tools.' },
  { name: 'tools', label: 'Tools', about: 'Read the registry of tools.' },
  { name: 'files', label: 'Files', about: 'Fetch files that agents wrote.' },
  { name: 'policies', label: 'Policies', about: 'Read profiles, rules and decisions.' },
  { name: 'secrets', label: 'Secrets', about: 'Store and retire secrets. Values can never be read.' },
  {
    name: 'audit',
    label: 'Audit',
    about: 'Read, verify and export the audit log.',
    example: '/api/audit/export?format=jsonl',
  },
] as const satisfies readonly ApiScope[]

export type ApiScopeName = (typeof apiScopes)[number]['name']

export const apiScopeNames = apiScopes.map(({ name }) => name) as [ApiScopeName, ...ApiScopeName[]]

/** A key with it has every scope, those of the future as well. */
export const everyScope = '*'
