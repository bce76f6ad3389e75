// The tools there are, by canonical name, API name and alias. Maps throughout: a tool may be called `__proto__`.
import { aliasRank } from './builtin-aliases.ts'
import { problemOfDefinition } from './check-definition.ts'
import type { AnyTool } from './contract.ts'
import { toApiName } from './names.ts'
import type { Policy } from './policy/policy.ts'
import { ScopedView } from './scoped-view.ts'
import {
  type FindOptions,
  type Found,
  type ToolEntry,
  type ToolLookup,
  type ToolScope,
  toEntry,
} from './tool-lookup.ts'

export type { FindOptions, Found, ToolEntry, ToolLookup, ToolScope } from './tool-lookup.ts'
export { toolVersion } from './tool-version.ts'

/** A tool that cannot be registered, and why, as a sentence. */
export class RegistrationProblem extends Error {
  override name = 'RegistrationProblem'
}

export class ToolRegistry implements ToolLookup {
  readonly #tools = new Map<string, Found>()
  readonly #apiNames = new Map<string, Found>()
  /** Sorted: who is meant first stands first. */
  readonly #aliases = new Map<string, Found[]>()
  #list: readonly AnyTool[] | null = null
  #policy: Policy | undefined
  #version = 0

  get version(): number {
    return this.#version
  }

  register(tool: AnyTool): void {
    const problem = problemOfDefinition(tool) ?? this.#taken(tool.name)
    if (problem) throw new RegistrationProblem(`The tool ${shownName(tool)} cannot be registered. ${problem}`)
    const found: Found = { tool, alias: null }
    this.#tools.set(tool.name, found)
    this.#apiNames.set(toApiName(tool.name), found)
    for (const alias of tool.aliases ?? []) {
      const claims = [...(this.#aliases.get(alias.name) ?? []), { tool, alias }]
      this.#aliases.set(
        alias.name,
        claims.sort((a, b) => compareRanks(a.tool.name, b.tool.name)),
      )
    }
    this.#changed()
  }

  /** All of them, or none and the reason. */
  registerMany(tools: Iterable<AnyTool>): void {
    const registered: string[] = []
    try {
      for (const tool of tools) {
        this.register(tool)
        registered.push(tool.name)
      }
    } catch (error) {
      for (const name of registered) this.unregister(name)
      throw error
    }
  }

  /** Whether there was one. */
  unregister(name: string): boolean {
    const found = this.#tools.get(name)
    if (found === undefined) return false
    this.#tools.delete(name)
    this.#apiNames.delete(toApiName(name))
    for (const alias of found.tool.aliases ?? []) {
      const others = (this.#aliases.get(alias.name) ?? []).filter((claim) => claim.tool !== found.tool)
      if (others.length > 0) this.#aliases.set(alias.name, others)
      else this.#aliases.delete(alias.name)
    }
    this.#changed()
    return true
  }

  get(name: string): AnyTool | undefined {
    return this.#tools.get(name)?.tool
  }

  getByApiName(apiName: string): AnyTool | undefined {
    return this.#apiNames.get(apiName)?.tool
  }

  has(name: string): boolean {
    return this.#tools.has(name)
  }

  list(): readonly AnyTool[] {
    this.#list ??= Object.freeze([...this.#tools.values()].map(({ tool }) => tool))
    return this.#list
  }

  find(name: string, { attached }: FindOptions = {}): Found | undefined {
    const found = this.#tools.get(name) ?? this.#apiNames.get(name)
    if (found !== undefined) return found
    const claims = this.#aliases.get(name)
    if (claims === undefined) return undefined
    // None attached: the first all the same, so that the policy can say why it is refused.
    return (attached && claims.find(({ tool }) => attached.has(tool.name))) ?? claims[0]
  }

  getEntries(): ToolEntry[] {
    return this.list().map(toEntry)
  }

  setPolicy(policy: Policy | undefined): void {
    this.#policy = policy
    this.#changed()
  }

  getPolicy(): Policy | undefined {
    return this.#policy
  }

  scopedView(scope: ToolScope): ToolLookup {
    return new ScopedView(this, scope)
  }

  #taken(name: string): string | null {
    if (this.#tools.has(name)) return 'There is one with this name already.'
    const apiName = toApiName(name)
    const same = this.#apiNames.get(apiName)
    if (same) return `Its API name ${apiName} is that of ${same.tool.name}.`
    // The model writes API names and people canonical ones, in the same places: one text must not mean two tools.
    const called = this.#apiNames.get(name)
    if (called) return `Its name is the API name of ${called.tool.name}.`
    return this.#tools.has(apiName) && apiName !== name ? `Its API name ${apiName} is another tool's name.` : null
  }

  #changed(): void {
    this.#list = null
    this.#version += 1
  }
}

/** Stable where neither is in the table: the one registered first stays first. */
function compareRanks(a: string, b: string): number {
  const [first, second] = [aliasRank(a), aliasRank(b)]
  return first === second ? 0 : first - second
}

const shownName = (tool: AnyTool | null | undefined) => JSON.stringify(String(tool?.name ?? '?').slice(0, 80))
