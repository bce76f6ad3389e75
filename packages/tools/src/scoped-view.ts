// A registry seen through a list of what is in scope: the tools of a role, of a child agent. It filters as it is asked,
// so a tool that is registered later is there at once if it is in scope, and one that is gone is gone.
import type { AnyTool } from './contract.ts'
import { PatternIndex } from './policy/pattern.ts'
import type { Policy } from './policy/policy.ts'
import {
  type FindOptions,
  type Found,
  type ToolEntry,
  type ToolLookup,
  type ToolScope,
  toEntry,
} from './tool-lookup.ts'

export class ScopedView implements ToolLookup {
  readonly #base: ToolLookup
  readonly #allowed: PatternIndex | null
  readonly #denied: PatternIndex
  #members: ReadonlyMap<string, AnyTool> = new Map()
  #membersOf = -1

  /** Throws a sentence for what is no pattern. */
  constructor(base: ToolLookup, { allowedTools, deniedTools = [] }: ToolScope) {
    this.#base = base
    this.#allowed = allowedTools ? indexOf(allowedTools) : null
    this.#denied = indexOf(deniedTools)
  }

  get version(): number {
    return this.#base.version
  }

  get(name: string): AnyTool | undefined {
    return this.#inScope().get(name)
  }

  getByApiName(apiName: string): AnyTool | undefined {
    const tool = this.#base.getByApiName(apiName)
    return tool && this.get(tool.name)
  }

  has(name: string): boolean {
    return this.#inScope().has(name)
  }

  list(): readonly AnyTool[] {
    return [...this.#inScope().values()]
  }

  /** A shared alias means the tool in scope, even where the other one would come first. */
  find(name: string, { attached }: FindOptions = {}): Found | undefined {
    const members = this.#inScope()
    const both = attached && { has: (tool: string) => attached.has(tool) && members.has(tool) }
    for (const candidates of both ? [both, members] : [members]) {
      const found = this.#base.find(name, { attached: candidates })
      if (found && members.has(found.tool.name)) return found
    }
    return undefined
  }

  getEntries(): ToolEntry[] {
    return this.list().map(toEntry)
  }

  getPolicy(): Policy | undefined {
    return this.#base.getPolicy()
  }

  scopedView(scope: ToolScope): ToolLookup {
    return new ScopedView(this, scope)
  }

  #inScope(): ReadonlyMap<string, AnyTool> {
    if (this.#membersOf === this.#base.version) return this.#members
    const members = this.#base.list().filter((tool) => this.#includes(tool))
    this.#members = new Map(members.map((tool) => [tool.name, tool]))
    this.#membersOf = this.#base.version
    return this.#members
  }

  #includes(tool: AnyTool): boolean {
    if (matches(this.#denied, tool)) return false
    return this.#allowed === null || matches(this.#allowed, tool)
  }
}

function indexOf(patterns: readonly string[]): PatternIndex {
  const index = new PatternIndex()
  for (const pattern of patterns) index.add(pattern)
  return index
}

const matches = (index: PatternIndex, { name, aliases, groups }: AnyTool) =>
  index.lookUpName(name, aliases, groups).patterns.length > 0
