import { limits } from '../limits.ts'
import type { Found, ToolLookup } from '../tool-lookup.ts'
import type { Caller } from './outcome.ts'
import { Refusal } from './refusal.ts'
import { suggestNames } from './suggest-names.ts'

/** By any of its names: canonical, the model's API's, another system's. */
export function findTool(tools: ToolLookup, name: unknown, { policy: { attachments } }: Caller): Found | Refusal {
  if (typeof name !== 'string' || name === '')
    return new Refusal('unknown_tool', 'A tool call needs the name of a tool.')
  if (name.length <= limits.toolNameLength) {
    const found = tools.find(name)
    if (found !== undefined && (found.alias === null || !attachments)) return found
    // Two tools may share an alias; the one that the agent has is meant.
    if (found !== undefined) return tools.find(name, { attached: new Set(attachments) }) ?? found
  }
  const shown = name.length > 80 ? `${name.slice(0, 80)}…` : name
  // Only what the agent has: a name it cannot use would be no help.
  const near = suggestNames(name, attachments ?? tools.list().map((tool) => tool.name))
  const hint = near.length > 0 ? ` Did you mean ${near.map((suggested) => `'${suggested}'`).join(' or ')}?` : ''
  return new Refusal('unknown_tool', `There is no tool '${shown}'.${hint}`)
}
