// How one call of an allowed tool runs: a rule, else the hook; then autonomy; then taint. Every step adds to the trail.
//
// A rule that matches decides instead of the hook: an allow rule lowers a confirm, an ask rule raises a silent tool.
// Autonomy then raises or lowers what a hook decided, and raises what an allow rule did; taint only raises.
import type { AnyTool, Effect, Hook } from '../contract.ts'
import { resolveApproval } from './approval.ts'
import type { Decision, TrailEntry } from './decision.ts'
import { type CompiledHook, defaultHook } from './hooks.ts'
import type { Standing } from './layers.ts'
import type { Approval, Autonomy, Rule, Verdict } from './policy-config.ts'
import { drawTaint } from './taint.ts'

/** What is known of the tool in its context, and of this call. */
export interface CallFacts {
  /** What the layers said. */
  base: Decision
  standing: Standing
  /** Always asks, whatever the autonomy. */
  insists: boolean
  readOnlyWhenAutonomous: boolean
  effect: Effect
  autonomy: Autonomy
  /** The strictest that match; null where none does. */
  rules: readonly Rule[] | null
  hook: CompiledHook | undefined
  /** Where strangers' content came from, if this call could carry something out. */
  tainted: readonly string[] | null
  /** Of the agent and of the workspace. */
  approvals: readonly (Approval | undefined)[]
}

export function decideCall(tool: AnyTool, facts: CallFacts): Decision {
  const { effect, autonomy, rules, tainted } = facts
  const trail = [...facts.base.trail]
  const deny = (entry: Omit<TrailEntry, 'verdict'>) => frozen('deny', false, [...trail, { ...entry, verdict: 'deny' }])
  if (facts.standing === 'reads' && effect !== 'read')
    return deny({ layer: 'profile', reason: `the profile lets it read only, and this call would ${effect}` })
  let verdict: Verdict
  let log: boolean
  let insists = facts.insists
  if (rules !== null) {
    verdict = rules[0]!.verdict
    log = verdict === 'ask' || (verdict === 'allow' && effect !== 'read')
    insists ||= verdict === 'ask'
    for (const rule of rules) {
      const said = { allow: 'allowed', ask: 'a person is asked', deny: 'denied' }[rule.verdict]
      const note = rule.note ? ` (${rule.note})` : ''
      trail.push({ layer: 'rule', verdict, reason: `${said} by the rule ${rule.name}${note}`, source: rule.name })
    }
    if (verdict === 'deny') return frozen('deny', false, trail)
  } else {
    const hook = facts.hook?.hook ?? defaultHook(tool.hook, effect)
    verdict = hook === 'confirm' ? 'ask' : 'allow'
    log = hook !== 'silent'
    insists ||= facts.hook?.insist === true
    trail.push(hookEntry(hook, facts.hook, tool.hook, effect, verdict))
  }
  if (autonomy === 'autonomous') {
    if (facts.readOnlyWhenAutonomous && effect !== 'read')
      return deny({
        layer: 'autonomy',
        reason: `an autonomous agent changes nothing here, and this call would ${effect}`,
      })
    if (verdict === 'ask' && insists && rules === null)
      trail.push({
        layer: 'autonomy',
        verdict,
        reason: 'asks although the agent is autonomous: this is always asked',
      })
    else if (verdict === 'ask' && !insists) {
      verdict = 'allow'
      trail.push({ layer: 'autonomy', verdict, reason: 'the agent is autonomous: it is logged instead of asked' })
    }
  } else if (autonomy === 'supervised' && verdict === 'allow' && effect !== 'read') {
    verdict = 'ask'
    trail.push({ layer: 'autonomy', verdict, reason: `the agent is supervised, and this call would ${effect}` })
  }
  if (tainted !== null) {
    verdict = 'ask'
    const reason = `${drawTaint(tainted, tool.name)}: what strangers wrote was read in this run, so a person decides what leaves`
    trail.push({ layer: 'taint', verdict, reason, source: tainted[0]! })
  }
  if (verdict === 'allow') return frozen('allow', log, trail)
  const asking = rules?.[0]?.verdict === 'ask' ? rules.map((rule) => rule.approval) : []
  const approval = resolveApproval(asking, ...facts.approvals)
  // What a tainted run may send is looked at every time.
  return frozen('ask', true, trail, tainted === null ? approval : { ...approval, lease: false })
}

/** An approver reads these on the card, and may be tired. */
const asksBecause: Readonly<Record<Effect, string>> = {
  read: 'this reads something that is asked about first',
  write: 'this changes something, and is asked about first',
  execute: 'this runs a program, and is asked about first',
  send: 'this reaches somebody outside, and is asked about first',
}

function hookEntry(
  hook: Hook,
  rule: CompiledHook | undefined,
  declared: Hook | undefined,
  effect: Effect,
  verdict: Verdict,
): TrailEntry {
  const does = { confirm: 'a person is asked', log: 'runs and is logged', silent: 'runs' }[hook]
  if (rule !== undefined) {
    const reason =
      hook === 'confirm' ? `this workspace asks before ${rule.pattern} runs` : `${does}: ${hook} for ${rule.pattern}`
    return { layer: 'hook', verdict, reason, source: rule.pattern }
  }
  if (hook === 'confirm')
    return { layer: 'hook', verdict, reason: declared ? 'this tool asks before it runs' : asksBecause[effect] }
  const why = declared === undefined ? `the default for a call that would ${effect}` : "the tool's own default"
  return { layer: 'hook', verdict, reason: `${does}: ${hook} is ${why}` }
}

/** Calls share decisions, so nobody may change one. */
export function frozen(
  verdict: Verdict,
  log: boolean,
  trail: TrailEntry[],
  approval: Decision['approval'] = null,
): Decision {
  return Object.freeze({ verdict, log, trail: Object.freeze(trail), approval })
}
