// What holds for every policy, not only for the ones somebody thought of.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AnyTool, Effect, Hook } from '../contract.ts'
import { matchesTool } from './pattern.ts'
import { Policy, type ToolSource } from './policy.ts'
import type {
  Autonomy,
  Condition,
  HookRule,
  Layer,
  PolicyConfig,
  PolicyContext,
  Rule,
  Verdict,
} from './policy-config.ts'
import { source, tool } from './testing.ts'

const names = [
  'file.read',
  'file.write',
  'vfs.read',
  'shell.exec',
  'process.start',
  'web.fetch',
  'web.search',
  'http.request',
  'browser.click',
  'memory.add',
  'git.commit',
  'google.gmail',
  'tool.create',
  'ask_user',
  'mcp:github:search',
  'mcp:github:issues.create',
  'mcp:x:y',
  'acme.run',
  '__proto__',
  'constructor',
]
const effects: readonly Effect[] = ['read', 'write', 'execute', 'send']
const hooks: readonly (Hook | undefined)[] = ['confirm', 'log', 'silent', undefined]
const tools = names.map((name, i) =>
  tool(name, {
    effect: effects[i % 4]!,
    ...(hooks[i % 3] && { hook: hooks[i % 3]! }),
    ...(name === 'acme.run' && { groups: ['ops', 'fs'], aliases: [{ name: 'run_it', system: 'glee' as const }] }),
  }),
)
const all: ToolSource = source(...tools)

const pattern = fc.constantFrom(
  '*',
  'group:fs',
  'group:runtime',
  'group:web',
  'group:ops',
  'group:mcp',
  'group:none',
  'group:own',
  'file.*',
  'mcp:*',
  'mcp:github:*',
  'mcp:github:issues.*',
  'acme.*',
  'gone.*',
  'Bash',
  'read_file',
  'run_it',
  ...names,
)
const patterns = fc.uniqueArray(pattern, { maxLength: 6 })
const profile = fc.constantFrom('minimal', 'messaging', 'coding', 'full', 'mine')
const layer: fc.Arbitrary<Layer> = fc.record({ profile, allow: patterns, deny: patterns }, { requiredKeys: [] })
const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({ path: fc.constant('a'), equals: fc.constantFrom(1, 2) }),
  fc.record({ path: fc.constant('a'), max: fc.constantFrom(1, 2) }),
  fc.record({ path: fc.constant('command'), command: fc.constantFrom('git status*', 'rm *', '*') }),
  fc.record({ path: fc.constant('url'), host: fc.constant(['example.com']) }),
  fc.record({ path: fc.constant('a'), present: fc.boolean() }),
)
const conditions = fc.array(condition, { maxLength: 2 })
const verdict = fc.constantFrom<Verdict>('allow', 'ask', 'deny')
const rules: fc.Arbitrary<Rule[]> = fc
  .array(fc.record({ pattern, conditions, verdict }), { maxLength: 5 })
  .map((list) => list.map((rule, i) => ({ ...rule, id: `r${i}`, name: `rule ${i}` })))
const hookRules: fc.Arbitrary<HookRule[]> = fc.array(
  fc.record({ pattern, conditions, hook: fc.constantFrom<Hook>('confirm', 'log', 'silent') }),
  { maxLength: 4 },
)
const member = pattern.filter((text) => text !== '*' && text !== 'group:own')
const config: fc.Arbitrary<PolicyConfig> = fc.record({
  groups: fc.record({ own: fc.record({ tools: fc.uniqueArray(member, { maxLength: 4 }) }) }),
  profile,
  allow: patterns,
  deny: patterns,
  profiles: fc.record({ mine: fc.record({ tools: patterns, reads: patterns }) }),
  agents: fc.record({ a: layer }),
  providers: fc.record({ p: layer }),
  skills: fc.record({ s: fc.record({ tools: patterns }), g: fc.constant({ toolGroups: ['fs', 'web'] }) }),
  hooks: hookRules,
  rules,
})
const context: fc.Arbitrary<PolicyContext> = fc.record(
  {
    agent: fc.constantFrom('a', 'b', '__proto__'),
    provider: fc.constantFrom('p', 'q'),
    skill: fc.constantFrom('s', 'g', 'unknown'),
    attachments: fc.option(fc.subarray(names), { nil: null }),
    autonomy: fc.constantFrom<Autonomy>('supervised', 'standard', 'autonomous'),
    taint: fc.constantFrom<readonly string[]>([], ['https://stranger.example']),
  },
  { requiredKeys: [] },
)
const args = fc.record(
  {
    a: fc.constantFrom(1, 2, 3, 'x'),
    command: fc.constantFrom('git status', 'git status; rm x', 'ls', 'rm x', '"'),
    url: fc.constantFrom('https://example.com/', 'https://evil.example/', 'x'),
  },
  { requiredKeys: [] },
)
const one: fc.Arbitrary<AnyTool> = fc.constantFrom(...tools)

const runs = { numRuns: 300 }
const allowed = (policy: Policy, at: PolicyContext) =>
  new Set([...policy.resolve(all, at)].filter(([, decision]) => decision.verdict !== 'deny').map(([name]) => name))
const within = (inner: ReadonlySet<string>, outer: ReadonlySet<string>) => [...inner].every((name) => outer.has(name))

type Decide = (config: PolicyConfig, tool: AnyTool, args: unknown, context: PolicyContext) => Verdict
const decide: Decide = (written, tool, given, at) => new Policy(written).decide(tool, given, at).verdict

/** Fails where some deny does not win. */
const denyAlwaysWins = (decides: Decide, numRuns = 300) =>
  fc.assert(
    fc.property(config, context, one, args, (written, at, tool, given) => {
      const agent = at.agent === 'a' ? written.agents!.a! : {}
      const provider = at.provider === 'p' ? written.providers!.p! : {}
      const denies = [...(written.deny ?? []), ...(agent.deny ?? []), ...(provider.deny ?? [])]
      if (denies.some((denied) => matchesTool(denied, tool, written.groups)))
        expect(decides(written, tool, given, at)).toBe('deny')
    }),
    { numRuns },
  )

test('a deny always wins', () => {
  denyAlwaysWins(decide)
})

test('planted bug: where an allow outweighs a deny, the same property fails', () => {
  const broken: Decide = (written, tool, given, at) => {
    const outweighed = written.allow!.some((allowed) => matchesTool(allowed, tool, written.groups))
    return decide(outweighed ? { ...written, deny: [] } : written, tool, given, at)
  }
  expect(() => denyAlwaysWins(broken, 20_000)).toThrow()
})

test('a group of one’s own does in every place what its members, written there, would do', () => {
  // As a pattern that a rule or a hook has once, it cannot be replaced by its members; in lists it can.
  const spell = (list: readonly string[] = [], members: readonly string[]) =>
    list.flatMap((text) => (text === 'group:own' ? members : [text]))
  fc.assert(
    fc.property(config, context, one, (written, at, tool) => {
      const members = written.groups!.own!.tools
      const layerOf = ({ profile, allow, deny }: Layer): Layer => ({
        ...(profile === undefined ? {} : { profile }),
        allow: spell(allow, members),
        deny: spell(deny, members),
      })
      const mine = written.profiles!.mine!
      const spelled: PolicyConfig = {
        ...written,
        ...layerOf(written),
        profile: written.profile,
        profiles: { mine: { tools: spell(mine.tools, members), reads: spell(mine.reads, members) } },
        agents: { a: layerOf(written.agents!.a!) },
        providers: { p: layerOf(written.providers!.p!) },
        skills: { ...written.skills, s: { tools: spell(written.skills!.s!.tools, members) } },
      }
      const standing = (from: PolicyConfig) => new Policy(from).resolve(all, at).get(tool.name)?.verdict
      expect(standing(written)).toBe(standing(spelled))
    }),
    runs,
  )
})

test('a deny rule without conditions denies whatever else is written', () => {
  fc.assert(
    fc.property(config, context, one, args, (written, at, tool, given) => {
      const deny: Rule = { id: 'deny', name: 'deny', pattern: tool.name, verdict: 'deny' }
      expect(decide({ ...written, rules: [...written.rules!, deny] }, tool, given, at)).toBe('deny')
    }),
    runs,
  )
})

test('layers only narrow: every agent, provider, skill and attachment leaves a part of what was there without it', () => {
  fc.assert(
    fc.property(config, context, (written, at) => {
      const policy = new Policy(written)
      const whole = allowed(policy, at)
      for (const key of ['agent', 'provider', 'skill'] as const)
        expect(within(whole, allowed(policy, { ...at, [key]: undefined }))).toBe(true)
      const everything = { ...at, attachments: names }
      expect(within(whole, allowed(policy, everything))).toBe(true)
    }),
    runs,
  )
})

test('more denies never give more, and more allows never take away', () => {
  fc.assert(
    fc.property(config, context, pattern, (written, at, more) => {
      const before = allowed(new Policy(written), at)
      const denied = allowed(new Policy({ ...written, deny: [...written.deny!, more] }), at)
      const added = allowed(new Policy({ ...written, allow: [...written.allow!, more] }), at)
      expect(within(denied, before)).toBe(true)
      expect(within(before, added)).toBe(true)
    }),
    runs,
  )
})

test('explain, resolve, isAllowed and decide agree', () => {
  fc.assert(
    fc.property(config, context, one, args, (written, at, tool, given) => {
      const policy = new Policy(written)
      const resolved = policy.resolve(all, at).get(tool.name)!
      expect(policy.explain(tool.name, all, at)).toEqual(resolved.trail)
      expect(resolved.trail.at(-1)!.verdict).toBe(resolved.verdict)
      expect(policy.isAllowed(tool.name, all, at)).toBe(resolved.verdict === 'allow')
      const decision = policy.decide(tool, given, at)
      expect(policy.explain(tool.name, all, at, given)).toEqual(decision.trail)
      expect(decision.trail.slice(0, resolved.trail.length)).toEqual(resolved.trail)
      expect(decision.trail.at(-1)!.verdict).toBe(decision.verdict)
      if (resolved.verdict === 'deny') expect(decision.verdict).toBe('deny')
      expect(decision.approval !== null).toBe(decision.verdict === 'ask')
      expect(JSON.parse(JSON.stringify(decision))).toEqual(decision)
    }),
    runs,
  )
})

test('the same policy decides the same, cold and warm, in this order and in the other', () => {
  fc.assert(
    fc.property(
      config,
      fc.array(context, { minLength: 1, maxLength: 5 }),
      one,
      args,
      (written, contexts, tool, given) => {
        const policy = new Policy(written)
        const forwards = contexts.map((at) => policy.decide(tool, given, at))
        const backwards = contexts.toReversed().map((at) => policy.decide(tool, given, at))
        expect(backwards.toReversed()).toEqual(forwards)
        expect(contexts.map((at) => new Policy(written).decide(tool, given, { ...at }))).toEqual(forwards)
      },
    ),
    runs,
  )
})

test('the order in which patterns, hooks and rules are written does not matter', () => {
  const turned = (layer: Layer): Layer => ({
    ...layer,
    ...(layer.allow && { allow: layer.allow.toReversed() }),
    ...(layer.deny && { deny: layer.deny.toReversed() }),
  })
  fc.assert(
    fc.property(config, context, one, args, (written, at, tool, given) => {
      const other: PolicyConfig = {
        ...written,
        ...turned(written),
        agents: { a: turned(written.agents!.a!) },
        providers: { p: turned(written.providers!.p!) },
        hooks: written.hooks!.toReversed(),
        rules: written.rules!.toReversed(),
      }
      const decision = new Policy(written).decide(tool, given, at)
      const again = new Policy(other).decide(tool, given, at)
      expect([again.verdict, again.log, again.approval]).toEqual([decision.verdict, decision.log, decision.approval])
      expect(allowed(new Policy(other), at)).toEqual(allowed(new Policy(written), at))
    }),
    runs,
  )
})

test('autonomy never lowers a rule, and supervision never lowers anything', () => {
  const strictness: Record<Verdict, number> = { allow: 0, ask: 1, deny: 2 }
  fc.assert(
    fc.property(config, context, one, args, (written, at, tool, given) => {
      const policy = new Policy(written)
      const [supervised, standard, autonomous] = (['supervised', 'standard', 'autonomous'] as const).map((autonomy) =>
        policy.decide(tool, given, { ...at, autonomy }),
      )
      expect(strictness[supervised!.verdict]).toBeGreaterThanOrEqual(strictness[standard!.verdict])
      if (standard!.trail.some(({ layer, verdict }) => layer === 'rule' && verdict !== 'allow'))
        expect(strictness[autonomous!.verdict]).toBeGreaterThanOrEqual(strictness[standard!.verdict])
    }),
    runs,
  )
})

/** Fails where a tainted run sends without being asked about. */
const taintedSendsAsk = (decides: Decide, numRuns = 1_000) =>
  fc.assert(
    fc.property(config, context, one, args, (written, at, tool, given) => {
      if (tool.effect !== 'send' && !tool.name.startsWith('mcp:')) return
      expect(decides(written, tool, given, { ...at, taint: ['x'] })).not.toBe('allow')
    }),
    { numRuns },
  )

test('a tainted run sends nothing that nobody was asked about', () => {
  taintedSendsAsk(decide)
})

test('planted bug: where autonomy lowers the question, the same property fails', () => {
  const broken: Decide = (written, tool, given, at) =>
    decide(written, tool, given, at.autonomy === 'autonomous' ? { ...at, taint: [] } : at)
  expect(() => taintedSendsAsk(broken, 20_000)).toThrow()
})

test('a dead pattern matches nothing, and what is not dead matches something', () => {
  fc.assert(
    fc.property(config, fc.subarray(tools), (written, some) => {
      const dead = new Policy(written)
        .deadPatterns(source(...some))
        .filter(({ reason }) => reason === 'matches no tool')
      const reported = new Set(dead.map((entry) => entry.pattern))
      for (const gone of reported) expect(some.some((tool) => matchesTool(gone, tool, written.groups))).toBe(false)
      for (const denied of written.deny!)
        if (!reported.has(denied)) expect(some.some((tool) => matchesTool(denied, tool, written.groups))).toBe(true)
    }),
    runs,
  )
})
