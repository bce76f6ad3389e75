// Decides about tools and calls. Pure: the same configuration, tool, arguments and context give the same decision.
//
//   which tools there are   attachments → profile → + allow → − deny → ∩ agent → ∩ provider → ∩ skill     (layers.ts)
//   how this call runs      a rule, else the hook → autonomy → taint                                 (decide-call.ts)
//
// Everything that does not depend on the arguments is worked out once for a tool in a context and kept: the hot path is
// two lookups and one array access. Decisions are frozen, for many calls share one.
import type { AnyTool, Effect } from '../contract.ts'
import { effectOfCall, insistingTools, readOnlyWhenAutonomous } from './autonomy.ts'
import { parsePolicyConfig } from './check-policy-config.ts'
import { type DeadPattern, findDeadPatterns } from './dead-patterns.ts'
import { decideCall, frozen } from './decide-call.ts'
import type { Decision, TrailEntry } from './decision.ts'
import { type CompiledHook, Hooks } from './hooks.ts'
import { Layers, type Selection, type Standing } from './layers.ts'
import { PatternIndex, type Signature } from './pattern.ts'
import type { Approval, Autonomy, PolicyConfig, PolicyContext } from './policy-config.ts'
import { type CompiledRule, matchRules, Rules } from './rules.ts'
import { isSink, outboundGroups, programRunners, type SinkKind, webTools } from './taint.ts'

/** The registry is one. */
export interface ToolSource {
  /** Changes whenever the list does. */
  readonly version: number
  list(): readonly AnyTool[]
}

/** Contexts whose layers are kept; the oldest makes room. */
const mostContexts = 256
/** Contexts whose whole list of tools is kept: with 10,000 tools each is some hundred kilobytes. */
const mostResolved = 16

interface ContextState {
  selection: Selection
  approval: Approval | undefined
  /** By signature: attached, and not. */
  attached: (Decision | undefined)[]
  detached: (Decision | undefined)[]
  plans: WeakMap<AnyTool, Plan>
}

/** What of a context its state was made from: the object may have been changed since. */
interface Seen extends Pick<PolicyContext, 'agent' | 'provider' | 'skill' | 'attachments'> {
  state: ContextState
}

interface Resolved {
  tools: ToolSource
  version: number
  decisions: ReadonlyMap<string, Decision>
}

/** What is known about a tool in a context before the arguments are. */
interface Plan {
  base: Decision
  standing: Standing
  rules: readonly CompiledRule[]
  hooks: readonly CompiledHook[]
  sink: SinkKind
  insists: boolean
  readOnlyWhenAutonomous: boolean
  /** Decisions that do not depend on the arguments, by effect and autonomy. */
  usual: (Decision | undefined)[]
}

type Kind = keyof SinkKind | 'insists' | 'readOnlyWhenAutonomous'

const effectIndex: Record<Effect, number> = { read: 0, write: 1, execute: 2, send: 3 }

/** What is none of the three is supervised. */
const readAutonomy = (autonomy: Autonomy | undefined): Autonomy =>
  autonomy === undefined || autonomy === 'standard' ? 'standard' : autonomy === 'autonomous' ? autonomy : 'supervised'

const autonomyIndex: Record<Autonomy, number> = { supervised: 0, standard: 4, autonomous: 8 }

export class Policy {
  readonly config: PolicyConfig
  readonly #index: PatternIndex
  readonly #layers: Layers
  readonly #rules: Rules
  readonly #hooks: Hooks
  readonly #agentApprovals: ReadonlyMap<string, Approval | undefined>
  readonly #kinds: Record<Kind, ReadonlySet<number>>
  readonly #seen = new WeakMap<PolicyContext, Seen>()
  readonly #resolved = new Map<ContextState, Resolved>()
  readonly #byKey = new Map<string, ContextState>()
  #signatures: { tools: WeakRef<ToolSource>; version: number; names: string[]; signatures: Signature[] } | null = null

  /** Throws a PolicyConfigError that lists every problem of the configuration. */
  constructor(config: PolicyConfig) {
    this.config = parsePolicyConfig(config)
    this.#index = new PatternIndex(this.config.groups)
    const add = (patterns: readonly string[]) => new Set(patterns.map((pattern) => this.#index.add(pattern)))
    this.#layers = new Layers(this.#index, this.config)
    this.#rules = new Rules(this.#index, this.config.rules ?? [])
    this.#hooks = new Hooks(this.#index, this.config.hooks ?? [])
    this.#agentApprovals = new Map(
      Object.entries(this.config.agents ?? {}).map(([name, agent]) => [name, agent.approval]),
    )
    this.#kinds = {
      mcp: add(['mcp:*']),
      outbound: add(outboundGroups),
      runner: add(programRunners),
      web: add(webTools),
      insists: add(insistingTools),
      readOnlyWhenAutonomous: add(readOnlyWhenAutonomous),
    }
  }

  /** Every tool, and whether there is one of that name in this context. How a call runs is `decide`'s to say. */
  resolve(tools: ToolSource, context: PolicyContext = {}): ReadonlyMap<string, Decision> {
    const state = this.#state(context)
    const kept = this.#resolved.get(state)
    if (kept !== undefined && kept.tools === tools && kept.version === tools.version) return kept.decisions
    const { names, signatures } = this.#signaturesOf(tools)
    const decisions = new Map<string, Decision>()
    for (let i = 0; i < names.length; i++) {
      const name = names[i]!
      decisions.set(name, this.#base(state, signatures[i]!, state.selection.isAttached(name)))
    }
    makeRoom(this.#resolved, mostResolved)
    this.#resolved.set(state, { tools, version: tools.version, decisions })
    return decisions
  }

  /**
   * As in the Flynn document. By names alone only the built-in groups and aliases are known; with the registry, the
   * tools' own are too.
   */
  isAllowed(name: string, all: readonly string[] | ToolSource, context: PolicyContext = {}): boolean {
    if ('version' in all) return (this.resolve(all, context).get(name)?.verdict ?? 'deny') !== 'deny'
    if (!all.includes(name)) return false
    const state = this.#state(context)
    return state.selection.standing(this.#index.lookUpName(name), state.selection.isAttached(name)) !== 'denied'
  }

  /** What happens to this call. The arguments are valid by the tool's schema, or whatever they are. */
  decide(tool: AnyTool, args: unknown, context: PolicyContext = {}): Decision {
    const state = this.#state(context)
    const plan = this.#plan(state, tool)
    if (plan.standing === 'denied') return plan.base
    const effect = effectOfCall(tool, args)
    const autonomy = readAutonomy(context.autonomy)
    const rules = plan.rules.length === 0 ? null : matchRules(plan.rules, args)
    const hook = rules === null ? firstHook(plan.hooks, args) : undefined
    const taint = context.taint
    const tainted =
      taint !== undefined && taint.length > 0 && isSink(plan.sink, effect, args, rules?.[0]?.verdict === 'allow')
        ? taint
        : null
    const usual = rules === null && tainted === null && hook?.test == null
    const slot = effectIndex[effect] + autonomyIndex[autonomy]
    const kept = usual ? plan.usual[slot] : undefined
    if (kept !== undefined) return kept
    const approvals = [state.approval, this.config.approval]
    const decision = decideCall(tool, { ...plan, effect, autonomy, rules, hook, tainted, approvals })
    if (usual) plan.usual[slot] = decision
    return decision
  }

  /**
   * Whether every call of it runs without a person, whatever its arguments are. Only such a tool may be left to somebody
   * who shows us no single call before it is made (a model's provider that searches by itself). Where anything depends on
   * the arguments, the answer is no.
   */
  runsUnasked(tool: AnyTool, context: PolicyContext = {}): boolean {
    const { rules, hooks } = this.#plan(this.#state(context), tool)
    if ([...rules, ...hooks].some(({ test }) => test !== null)) return false
    return this.decide(tool, {}, context).verdict === 'allow'
  }

  /** Why: what `resolve` found for a tool and, with arguments, what `decide` finds for the call. */
  explain(name: string, tools: ToolSource, context: PolicyContext = {}, args?: unknown): readonly TrailEntry[] {
    const tool = tools.list().find((one) => one.name === name)
    if (tool === undefined) {
      const meant = tools.list().filter(({ aliases }) => aliases?.some((alias) => alias.name === name))
      const hint = meant.length > 0 ? `; it is another name of ${meant.map((one) => one.name).join(' and ')}` : ''
      return [{ layer: 'tool', verdict: 'deny', reason: `there is no tool named ${name}${hint}` }]
    }
    return args === undefined
      ? this.#plan(this.#state(context), tool).base.trail
      : this.decide(tool, args, context).trail
  }

  /** Patterns that match no tool, and lists that change nothing: what an owner wrote and does not get. */
  deadPatterns(tools: ToolSource): DeadPattern[] {
    return findDeadPatterns(this.config, tools.list())
  }

  #plan(state: ContextState, tool: AnyTool): Plan {
    const kept = state.plans.get(tool)
    if (kept !== undefined) return kept
    const signature = this.#index.lookUp(tool)
    const attached = state.selection.isAttached(tool.name)
    const is = (kind: Kind) => signature.patterns.some((id) => this.#kinds[kind].has(id))
    const plan: Plan = {
      base: this.#base(state, signature, attached),
      standing: state.selection.standing(signature, attached),
      rules: this.#rules.for(signature),
      hooks: this.#hooks.for(signature),
      sink: {
        mcp: is('mcp'),
        outbound: is('outbound'),
        runner: is('runner'),
        web: is('web') || tool.effect === 'send',
      },
      insists: is('insists'),
      readOnlyWhenAutonomous: is('readOnlyWhenAutonomous'),
      usual: [],
    }
    state.plans.set(tool, plan)
    return plan
  }

  #base(state: ContextState, signature: Signature, attached: boolean): Decision {
    const kept = attached ? state.attached : state.detached
    let decision = kept[signature.id]
    if (decision === undefined) {
      const denied = state.selection.standing(signature, attached) === 'denied'
      decision = frozen(denied ? 'deny' : 'allow', false, state.selection.trail(signature, attached))
      kept[signature.id] = decision
    }
    return decision
  }

  #state(context: PolicyContext): ContextState {
    const { agent, provider, skill, attachments } = context
    const seen = this.#seen.get(context)
    if (
      seen !== undefined &&
      seen.agent === agent &&
      seen.provider === provider &&
      seen.skill === skill &&
      seen.attachments === attachments
    )
      return seen.state
    const key = JSON.stringify([agent, provider, skill, attachments ?? null])
    let state = this.#byKey.get(key)
    if (state === undefined) {
      makeRoom(this.#byKey, mostContexts)
      state = {
        selection: this.#layers.select(context),
        approval: agent === undefined ? undefined : this.#agentApprovals.get(agent),
        attached: [],
        detached: [],
        plans: new WeakMap(),
      }
      this.#byKey.set(key, state)
    }
    this.#seen.set(context, { agent, provider, skill, attachments, state })
    return state
  }

  #signaturesOf(tools: ToolSource): { names: string[]; signatures: Signature[] } {
    const kept = this.#signatures
    if (kept !== null && kept.tools.deref() === tools && kept.version === tools.version) return kept
    const list = tools.list()
    const names = list.map((tool) => tool.name)
    const signatures = list.map((tool) => this.#index.lookUp(tool))
    this.#signatures = { tools: new WeakRef(tools), version: tools.version, names, signatures }
    return this.#signatures
  }
}

function makeRoom<K>(map: Map<K, unknown>, most: number): void {
  if (map.size >= most) map.delete(map.keys().next().value!)
}

function firstHook(hooks: readonly CompiledHook[], args: unknown): CompiledHook | undefined {
  for (const hook of hooks) if (hook.test === null || hook.test(args)) return hook
  return undefined
}
