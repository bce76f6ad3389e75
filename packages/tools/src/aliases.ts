// The arguments of another system's tool, as ours take them.
import type { Alias } from './contract.ts'
import { define } from './prepare-schema.ts'

export type Aliased = { ok: true; arguments: unknown } | { ok: false; error: string }

/**
 * Renames what the alias maps, and fills in what their tool does without being told. Pure. Arguments that are no object
 * pass as they are, for the schema to refuse. An argument given under both names is an error: nobody knows which one
 * the model meant.
 */
export function applyAlias(alias: Alias, args: unknown): Aliased {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return { ok: true, arguments: args }
  const ours: Record<string, unknown> = {}
  const givenAs = new Map<string, string>()
  for (const [theirName, value] of Object.entries(args)) {
    const name = ourNameFor(alias, theirName)
    const other = givenAs.get(name)
    if (other !== undefined)
      return { ok: false, error: `${alias.name} was given ${other} and ${theirName}, which are the same argument.` }
    givenAs.set(name, theirName)
    define(ours, name, value)
  }
  for (const [name, value] of Object.entries(alias.defaults ?? {})) if (!givenAs.has(name)) define(ours, name, value)
  return { ok: true, arguments: ours }
}

/** Own keys only: an argument called `constructor` maps to itself. */
function ourNameFor(alias: Alias, theirName: string): string {
  return alias.arguments && Object.hasOwn(alias.arguments, theirName) ? alias.arguments[theirName]! : theirName
}
