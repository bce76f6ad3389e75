// Where in the console a reason of a trail was written, for who wants to change it: nobody should have to know which of
// the policy's layers is edited on which page.
import type { TrailEntry } from '@quartermaster/tools'

export interface PlaceOfReason {
  href: string
  /** As the page is called: `Policies, Workspace`. */
  label: string
}

interface Asked {
  agentId: string
  /** Of the registry; null where it has no such tool. */
  toolId: string | null
  /** The workspace's own. Those that the installation fixed have no page. */
  rules: readonly { id: string; name: string }[]
}

export function placeOfReason(
  { layer, verdict, source }: Pick<TrailEntry, 'layer' | 'verdict' | 'source'>,
  { agentId, toolId, rules }: Asked,
): PlaceOfReason | null {
  const tool = toolId && { href: `/tools/${encodeURIComponent(toolId)}`, label: 'The tool' }
  switch (layer) {
    case 'tool':
      return tool || null
    case 'attachment':
      // What is not attached is attached there, with its configuration.
      return verdict === 'deny' && toolId
        ? { href: `/agents/${agentId}/tools?${new URLSearchParams({ tool: toolId })}`, label: 'Attach it' }
        : { href: `/agents/${agentId}/tools`, label: 'Tools of the agent' }
    case 'profile':
    case 'global':
      return { href: '/policies', label: 'Policies, Workspace' }
    case 'agent':
    case 'autonomy':
      return { href: `/agents/${agentId}`, label: 'Configuration of the agent' }
    case 'provider':
    case 'skill':
      return { href: '/policies/layers', label: 'Policies, Providers & skills' }
    case 'rule': {
      const rule = rules.find(({ name }) => name === source)
      return rule ? { href: `/policies/rules/${rule.id}`, label: 'The rule' } : null
    }
    case 'hook':
      return source ? { href: '/policies/hooks', label: 'Policies, Hooks' } : tool || null
    case 'taint':
      return null
  }
}
