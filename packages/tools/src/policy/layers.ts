// Which tools there are for a context, in this order and no other:
//
//   not switched off → attachments → the workspace's profile → + its allow → − its deny → ∩ agent → ∩ provider → ∩ skill
//
// A layer only narrows what the ones before it left, and a deny is final. Every list of patterns that plays a part in a
// context is one bit; a pattern's bits say in which lists it stands. The bits of all patterns that match a tool, or-ed
// together, are all that is needed to decide, and the same bits, read once more, tell a person why.
import type { TrailEntry, TrailLayer } from './decision.ts'
import type { PatternIndex, Signature } from './pattern.ts'
import type { Layer, PolicyConfig, PolicyContext, Profile, SkillPermissions } from './policy-config.ts'
import { builtinProfiles, notByDefault } from './profiles.ts'

const NOT_BY_DEFAULT = 1
const SKILL = 2
/** Four bits for each of workspace, agent and provider, from here on. */
const PROFILE = 4
const READS = 8
const ALLOW = 16
const DENY = 32
const OFF = 1 << 14
const shiftOf = { global: 0, agent: 4, provider: 8 } as const

interface CompiledLayer {
  /** null: starts from everything. */
  profile: string | null
  tools: readonly number[]
  reads: readonly number[]
  allow: readonly number[]
  deny: readonly number[]
}

/** The layers of a policy, compiled once. */
export class Layers {
  readonly #index: PatternIndex
  readonly #profiles = new Map<string, { tools: readonly number[]; reads: readonly number[] }>()
  readonly #global: CompiledLayer
  readonly #agents = new Map<string, CompiledLayer>()
  readonly #providers = new Map<string, CompiledLayer>()
  readonly #skills = new Map<string, readonly number[]>()
  readonly #notByDefault: readonly number[]
  readonly #off: readonly number[]

  constructor(index: PatternIndex, config: PolicyConfig) {
    this.#index = index
    for (const [name, profile] of builtinProfiles) this.#addProfile(name, profile)
    for (const [name, profile] of Object.entries(config.profiles ?? {})) this.#addProfile(name, profile)
    this.#global = this.#compile(config)
    for (const [name, layer] of Object.entries(config.agents ?? {})) this.#agents.set(name, this.#compile(layer))
    for (const [name, layer] of Object.entries(config.providers ?? {})) this.#providers.set(name, this.#compile(layer))
    for (const [name, skill] of Object.entries(config.skills ?? {}))
      this.#skills.set(name, this.#ids(skillPatterns(skill)))
    this.#notByDefault = this.#ids(notByDefault)
    this.#off = this.#ids(config.disabled ?? [])
  }

  /** What the layers say in one context. */
  select(context: PolicyContext): Selection {
    const agent = context.agent === undefined ? undefined : this.#agents.get(context.agent)
    const provider = context.provider === undefined ? undefined : this.#providers.get(context.provider)
    const bits = new Uint16Array(this.#index.size)
    const mark = (ids: readonly number[], bit: number) => {
      for (const id of ids) bits[id] = bits[id]! | bit
    }
    const markLayer = (layer: CompiledLayer, shift: number) => {
      mark(layer.tools, PROFILE << shift)
      mark(layer.reads, READS << shift)
      mark(layer.allow, ALLOW << shift)
      mark(layer.deny, DENY << shift)
    }
    mark(this.#notByDefault, NOT_BY_DEFAULT)
    mark(this.#off, OFF)
    markLayer(this.#global, shiftOf.global)
    if (agent) markLayer(agent, shiftOf.agent)
    if (provider) markLayer(provider, shiftOf.provider)
    const skill = context.skill === undefined ? null : context.skill
    const permissions = skill === null ? undefined : this.#skills.get(skill)
    if (permissions) mark(permissions, SKILL)
    return new Selection(this.#index, bits, {
      attached: context.attachments ? new Set(context.attachments) : null,
      global: { name: null, profile: this.#global.profile },
      agent: agent ? { name: context.agent!, profile: agent.profile } : null,
      provider: provider ? { name: context.provider!, profile: provider.profile } : null,
      skill: skill === null ? null : { name: skill, known: permissions !== undefined },
    })
  }

  #addProfile(name: string, profile: Profile): void {
    this.#profiles.set(name, { tools: this.#ids(profile.tools), reads: this.#ids(profile.reads ?? []) })
  }

  #compile(layer: Layer): CompiledLayer {
    const profile = layer.profile === undefined ? undefined : this.#profiles.get(layer.profile)
    if (layer.profile !== undefined && !profile) throw new Error(`there is no profile ${JSON.stringify(layer.profile)}`)
    return {
      profile: layer.profile ?? null,
      tools: profile?.tools ?? [],
      reads: profile?.reads ?? [],
      allow: this.#ids(layer.allow ?? []),
      deny: this.#ids(layer.deny ?? []),
    }
  }

  #ids(patterns: readonly string[]): readonly number[] {
    return patterns.map((pattern) => this.#index.add(pattern))
  }
}

/** `tools` overrides `toolGroups`, also where it is empty. A group may be written with or without `group:`. */
export function skillPatterns(skill: SkillPermissions): readonly string[] {
  if (skill.tools) return skill.tools
  return (skill.toolGroups ?? []).map((group) => (group.startsWith('group:') ? group : `group:${group}`))
}

interface SelectedLayer {
  name: string | null
  profile: string | null
}

interface Selected {
  attached: ReadonlySet<string> | null
  global: SelectedLayer
  agent: SelectedLayer | null
  provider: SelectedLayer | null
  skill: { name: string; known: boolean } | null
}

/** Denied; allowed; allowed as long as the call only reads. */
export type Standing = 'denied' | 'allowed' | 'reads'

export class Selection {
  readonly #index: PatternIndex
  readonly #bits: Uint16Array
  readonly #selected: Selected

  constructor(index: PatternIndex, bits: Uint16Array, selected: Selected) {
    this.#index = index
    this.#bits = bits
    this.#selected = selected
  }

  isAttached(name: string): boolean {
    return this.#selected.attached === null || this.#selected.attached.has(name)
  }

  standing(signature: Signature, attached: boolean): Standing {
    const { global, agent, provider, skill, attached: attachments } = this.#selected
    let bits = 0
    for (const id of signature.patterns) bits |= this.#bits[id]!
    if (bits & OFF) return 'denied'
    if (!attached || (attachments === null && bits & NOT_BY_DEFAULT)) return 'denied'
    if (skill !== null && !(bits & SKILL)) return 'denied'
    let reads = false
    for (const [layer, shift] of [
      [global, shiftOf.global],
      [agent, shiftOf.agent],
      [provider, shiftOf.provider],
    ] as const) {
      if (layer === null) continue
      const own = bits >> shift
      if (own & DENY) return 'denied'
      if (layer.profile === null || own & (PROFILE | ALLOW)) continue
      if (!(own & READS)) return 'denied'
      reads = true
    }
    return reads ? 'reads' : 'allowed'
  }

  /** Why, in words. Ends with what denied, where something did; the last entry's verdict is the standing's. */
  trail(signature: Signature, attached: boolean): TrailEntry[] {
    const { agent, provider, skill, global } = this.#selected
    const trail: TrailEntry[] = []
    const denied = (entry: TrailEntry) => {
      trail.push(entry)
      return entry.verdict === 'deny'
    }
    const off = this.#first(signature, OFF)
    if (off !== null) {
      trail.push({ layer: 'tool', verdict: 'deny', reason: 'switched off in this workspace', source: off })
      return trail
    }
    if (denied(this.#attachment(signature, attached))) return trail
    if (this.#layer(trail, signature, global, shiftOf.global, 'global', 'the workspace')) return trail
    // By no name: a trail is of one agent's call, and the key of its layer is an id that says nothing to a reader.
    if (agent && this.#layer(trail, signature, agent, shiftOf.agent, 'agent', 'this agent')) return trail
    if (
      provider &&
      this.#layer(trail, signature, provider, shiftOf.provider, 'provider', `the provider ${provider.name}`)
    )
      return trail
    if (skill) denied(this.#skill(signature, skill))
    return trail
  }

  #attachment(signature: Signature, attached: boolean): TrailEntry {
    if (this.#selected.attached !== null)
      return attached
        ? { layer: 'attachment', verdict: 'allow', reason: 'attached to the agent' }
        : { layer: 'attachment', verdict: 'deny', reason: 'not attached to the agent, so it does not exist for it' }
    const source = this.#first(signature, NOT_BY_DEFAULT)
    return source === null
      ? {
          layer: 'attachment',
          verdict: 'allow',
          reason: 'nothing is attached to the agent, and this is a default tool',
        }
      : {
          layer: 'attachment',
          verdict: 'deny',
          reason: `nothing is attached to the agent, and ${source} is not among the default tools`,
          source,
        }
  }

  /** True where the layer denies. */
  #layer(
    trail: TrailEntry[],
    signature: Signature,
    layer: SelectedLayer,
    shift: number,
    name: TrailLayer,
    whose: string,
  ): boolean {
    const profileLayer = name === 'global' ? 'profile' : name
    const add = (entry: TrailEntry) => trail.push(entry)
    const denied = this.#first(signature, DENY << shift)
    const inProfile = this.#first(signature, PROFILE << shift)
    const allowed = this.#first(signature, ALLOW << shift)
    const reads = this.#first(signature, READS << shift)
    const profile = `the profile ${layer.profile} of ${whose}`
    if (layer.profile === null) {
      if (denied === null) add({ layer: name, verdict: 'allow', reason: `not denied by ${whose}` })
    } else if (inProfile !== null)
      add({ layer: profileLayer, verdict: 'allow', reason: `in ${profile}: ${inProfile}`, source: inProfile })
    else if (allowed !== null) add({ layer: profileLayer, verdict: 'deny', reason: `not in ${profile}` })
    else if (reads !== null)
      add({ layer: profileLayer, verdict: 'allow', reason: `in ${profile}, to read only: ${reads}`, source: reads })
    else add({ layer: profileLayer, verdict: 'deny', reason: `not in ${profile}` })
    if (layer.profile !== null && inProfile === null && allowed !== null)
      add({ layer: name, verdict: 'allow', reason: `allowed by ${whose}: ${allowed}`, source: allowed })
    if (denied !== null) add({ layer: name, verdict: 'deny', reason: `denied by ${whose}: ${denied}`, source: denied })
    return trail.at(-1)!.verdict === 'deny'
  }

  #skill(signature: Signature, skill: { name: string; known: boolean }): TrailEntry {
    if (!skill.known)
      return {
        layer: 'skill',
        verdict: 'deny',
        reason: `the skill ${skill.name} has no permissions, so it has no tools`,
      }
    const source = this.#first(signature, SKILL)
    return source === null
      ? { layer: 'skill', verdict: 'deny', reason: `not among the permissions of the skill ${skill.name}` }
      : { layer: 'skill', verdict: 'allow', reason: `permitted to the skill ${skill.name}: ${source}`, source }
  }

  /** The most specific pattern that matches and stands in this list. */
  #first(signature: Signature, bit: number): string | null {
    for (const id of signature.patterns) if (this.#bits[id]! & bit) return this.#index.text(id)
    return null
  }
}
