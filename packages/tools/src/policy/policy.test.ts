import { describe, expect, test } from 'vitest'
import { Policy } from './policy.ts'
import type { PolicyConfig, PolicyContext } from './policy-config.ts'
import { source, tool } from './testing.ts'

const read = tool('file.read')
const write = tool('file.write', { effect: 'write' })
const shell = tool('shell.exec', { effect: 'execute' })
const media = tool('media.send', { effect: 'send', hook: 'log' })
const gmail = tool('google.gmail', {
  effect: 'send',
  effectOf: ({ action }) => (action === 'search' ? 'read' : 'send'),
})
const fetchPage = tool('web.fetch', { effect: 'send', effectOf: () => 'read' })
const search = tool('mcp:github:search')
const tools = source(read, write, shell, media, gmail, fetchPage, search, 'web.search', 'browser.click', 'system.info')

const allowed = (config: PolicyConfig, context: PolicyContext = {}, from = tools) =>
  [...new Policy(config).resolve(from, context)].filter(([, { verdict }]) => verdict === 'allow').map(([name]) => name)

const full = (more: Partial<PolicyConfig> = {}) => new Policy({ profile: 'full', ...more })

describe('a tool that is switched off', () => {
  test('is there for nobody: no attachment, profile, allow, skill or rule brings it back, and the trail says why', () => {
    const off: PolicyConfig = {
      profile: 'full',
      allow: ['file.read'],
      disabled: ['file.read'],
      skills: { reader: { tools: ['file.read'] } },
      rules: [{ id: 'r', name: 'Allow', pattern: 'file.read', verdict: 'allow' }],
    }
    for (const context of [{}, { attachments: ['file.read'] }, { skill: 'reader' }])
      expect(allowed(off, context)).not.toContain('file.read')
    expect(allowed(off)).toContain('file.write')
    const { verdict, trail } = new Policy(off).decide(read, {}, { attachments: ['file.read'] })
    expect([verdict, trail.at(-1)]).toEqual([
      'deny',
      { layer: 'tool', verdict: 'deny', reason: 'switched off in this workspace', source: 'file.read' },
    ])
  })

  test('is there for everybody where it is not', () => {
    expect(allowed({ profile: 'full', disabled: ['file.write'] })).toContain('file.read')
  })
})

describe('the example of the Flynn document', () => {
  const config: PolicyConfig = {
    profile: 'messaging',
    allow: [],
    deny: ['browser.*'],
    agents: { fast: { profile: 'minimal', allow: [], deny: [] } },
    providers: { ollama: { profile: 'messaging', allow: [], deny: ['web.search'] } },
    skills: {
      reader: { tools: ['file.read'], toolGroups: ['web'] },
      browser: { toolGroups: ['group:web'] },
      nothing: {},
    },
  }

  test('starts with the global profile, and the deny always wins', () => {
    expect(allowed(config)).toEqual(['file.read', 'web.fetch', 'web.search', 'system.info'])
    expect(allowed({ ...config, allow: ['browser.*', 'shell.exec'] })).not.toContain('browser.click')
    expect(allowed({ ...config, allow: ['browser.*', 'shell.exec'] })).toContain('shell.exec')
  })
  test('narrows to the agent, to the provider, and to both', () => {
    expect(allowed(config, { agent: 'fast' })).toEqual(['file.read', 'web.fetch', 'system.info'])
    expect(allowed(config, { provider: 'ollama' })).toEqual(['file.read', 'web.fetch', 'system.info'])
    expect(allowed(config, { agent: 'slow', provider: 'anthropic' })).toEqual(allowed(config))
  })
  test('gives a skill what its permissions name: tools before groups, and nothing without an entry', () => {
    expect(allowed(config, { skill: 'reader' })).toEqual(['file.read'])
    expect(allowed(config, { skill: 'browser' })).toEqual(['web.fetch', 'web.search'])
    expect(allowed(config, { skill: 'nothing' })).toEqual([])
    expect(allowed(config, { skill: 'unknown' })).toEqual([])
    expect(allowed(config, { skill: '__proto__' })).toEqual([])
  })
  test('answers isAllowed for a name among all names, as the executor of the document asks it', () => {
    const policy = new Policy(config)
    const names = tools.list().map(({ name }) => name)
    expect(policy.isAllowed('file.read', names, {})).toBe(true)
    expect(policy.isAllowed('browser.click', names, {})).toBe(false)
    expect(policy.isAllowed('file.list', names, {})).toBe(false)
    expect(policy.isAllowed('web.search', names, { agent: 'fast' })).toBe(false)
    expect(policy.isAllowed('web.search', tools, {})).toBe(true)
  })
})

describe('attachments', () => {
  test('come first: what is not attached does not exist', () => {
    expect(allowed({ profile: 'full' }, { attachments: ['mcp:github:search'] })).toEqual(['mcp:github:search'])
    expect(allowed({ profile: 'minimal', allow: ['*'] }, { attachments: [] })).toEqual([])
    expect(full().explain('file.read', tools, { attachments: [] })).toMatchObject([{ layer: 'attachment' }])
  })
  test('that are none leave the default set, without accounts and strangers', () => {
    for (const attachments of [null, undefined]) {
      const left = allowed({ profile: 'full' }, { attachments })
      expect(left).toContain('shell.exec')
      expect(left).not.toContain('mcp:github:search')
      expect(left).not.toContain('google.gmail')
    }
  })
})

test('a profile that lets connected accounts be read does not let them send', () => {
  const policy = new Policy({ profile: 'messaging' })
  const context = { attachments: ['google.gmail'] }
  expect(policy.decide(gmail, { action: 'search' }, context).verdict).toBe('allow')
  expect(policy.decide(gmail, { action: 'send' }, context)).toMatchObject({ verdict: 'deny' })
  const more = new Policy({ profile: 'messaging', allow: ['google.gmail'] })
  expect(more.decide(gmail, { action: 'send' }, context).verdict).toBe('ask')
  const narrowed = new Policy({ profile: 'full', agents: { a: { profile: 'coding' } } })
  expect(narrowed.decide(gmail, { action: 'send' }, { ...context, agent: 'a' }).verdict).toBe('deny')
  expect(narrowed.decide(gmail, { action: 'send' }, context).verdict).toBe('ask')
})

test('custom profiles work as the built-in ones do', () => {
  const config = { profile: 'mine', profiles: { mine: { tools: ['file.*', 'Bash'] } } }
  expect(allowed(config)).toEqual(['file.read', 'file.write', 'shell.exec'])
})

test('an alias in a deny denies the tools it means', () => {
  expect(allowed({ profile: 'full', deny: ['Bash', 'write_file'] })).not.toContain('shell.exec')
  expect(allowed({ profile: 'full', deny: ['Bash', 'write_file'] })).not.toContain('file.write')
  expect(allowed({ profile: 'full', deny: ['Bash', 'write_file'] })).toContain('file.read')
})

test('a tool that is called like something of JavaScript is a tool like any other', () => {
  const odd = source('__proto__', 'constructor', 'toString', 'hasOwnProperty')
  expect(allowed({ profile: 'minimal' }, {}, odd)).toEqual([])
  expect(allowed({ profile: 'full', deny: ['constructor'] }, {}, odd)).toEqual([
    '__proto__',
    'toString',
    'hasOwnProperty',
  ])
  expect(allowed({ profile: 'full' }, { agent: '__proto__', provider: 'constructor' }, odd)).toHaveLength(4)
})

describe('hooks', () => {
  const decide = (policy: Policy, one = shell, args: unknown = {}, context: PolicyContext = {}) =>
    policy.decide(one, args, context)

  test("follow the tool's own default, else its effect", () => {
    expect(decide(full(), read)).toMatchObject({ verdict: 'allow', log: false })
    expect(decide(full(), write)).toMatchObject({ verdict: 'allow', log: true })
    expect(decide(full(), shell)).toMatchObject({ verdict: 'ask', log: true })
    expect(decide(full(), media)).toMatchObject({ verdict: 'allow', log: true })
    expect(decide(full(), gmail, { action: 'search' }, { attachments: ['google.gmail'] }).verdict).toBe('allow')
  })
  test('the most specific pattern wins, and of equals the strictest, in whatever order they are written', () => {
    const hooks = [
      { pattern: '*', hook: 'confirm' },
      { pattern: 'shell.*', hook: 'log' },
      { pattern: 'group:runtime', hook: 'confirm' },
      { pattern: 'file.*', hook: 'silent' },
      { pattern: 'file.*', hook: 'confirm' },
    ] as const
    for (const order of [hooks, hooks.toReversed()]) {
      expect(decide(full({ hooks: order }), shell)).toMatchObject({ verdict: 'allow', log: true })
      expect(decide(full({ hooks: order }), read).verdict).toBe('ask')
      expect(decide(full({ hooks: order }), media).verdict).toBe('ask')
    }
  })
  test('by argument: a plain git status is silent, and nothing that hides behind it', () => {
    const policy = full({
      hooks: [{ pattern: 'shell.exec', conditions: [{ path: 'command', command: 'git status*' }], hook: 'silent' }],
    })
    expect(decide(policy, shell, { command: 'git status -s' })).toMatchObject({ verdict: 'allow', log: false })
    expect(decide(policy, shell, { command: 'git status; rm -rf x' }).verdict).toBe('ask')
  })
  test('a hook that asks by argument is not talked out of it', () => {
    const policy = full({
      hooks: [
        { pattern: 'shell.exec', hook: 'log' },
        { pattern: 'shell.exec', conditions: [{ path: 'command', command: 'rm *' }], hook: 'confirm' },
      ],
    })
    expect(decide(policy, shell, { command: 'ls' }).verdict).toBe('allow')
    expect(decide(policy, shell, { command: 'ls; sudo rm x' }).verdict).toBe('ask')
  })
})

describe('rules', () => {
  const rule = (id: string, verdict: 'allow' | 'ask' | 'deny', command?: string) => ({
    id,
    name: id,
    pattern: 'shell.exec',
    verdict,
    ...(command && { conditions: [{ path: 'command', command }] }),
  })
  const verdictOf = (policy: Policy, command: string, context: PolicyContext = {}) =>
    policy.decide(shell, { command }, context).verdict

  test('the strictest of all that match wins, in whatever order they are written', () => {
    const rules = [rule('a', 'allow', 'git *'), rule('b', 'ask', 'git push*'), rule('c', 'deny', 'git push --force*')]
    for (const order of [rules, rules.toReversed()]) {
      const policy = full({ rules: order })
      expect(verdictOf(policy, 'git log')).toBe('allow')
      expect(verdictOf(policy, 'git push')).toBe('ask')
      expect(verdictOf(policy, 'git push --force')).toBe('deny')
      expect(verdictOf(policy, 'git log && git push --force')).toBe('deny')
    }
  })
  test('a rule that matches decides instead of the hook, and without one the hook does', () => {
    expect(verdictOf(full({ rules: [rule('a', 'allow', 'ls*')] }), 'ls')).toBe('allow')
    expect(verdictOf(full({ rules: [rule('a', 'allow', 'ls*')] }), 'rm x')).toBe('ask')
    const policy = full({ rules: [rule('a', 'ask')], hooks: [{ pattern: 'shell.exec', hook: 'silent' }] })
    expect(verdictOf(policy, 'ls')).toBe('ask')
  })
  test('a rule that is off does nothing', () => {
    expect(verdictOf(full({ rules: [{ ...rule('a', 'deny'), enabled: false }] }), 'ls')).toBe('ask')
  })
  test('no rule brings back what a layer denied', () => {
    const policy = full({ deny: ['shell.*'], rules: [rule('a', 'allow')] })
    expect(verdictOf(policy, 'ls')).toBe('deny')
  })
  test('the note is in the trail, for the card', () => {
    const policy = full({ rules: [{ ...rule('a', 'deny'), note: 'ask Ada first' }] })
    expect(policy.decide(shell, {}).trail.at(-1)).toEqual({
      layer: 'rule',
      verdict: 'deny',
      reason: 'denied by the rule a (ask Ada first)',
      source: 'a',
    })
  })
})

describe('autonomy', () => {
  const ask = { id: 'a', name: 'a', pattern: '*', verdict: 'ask' } as const
  const verdictOf = (policy: Policy, one: typeof shell, autonomy: 'supervised' | 'standard' | 'autonomous') =>
    policy.decide(one, { action: 'send' }, { autonomy, attachments: [one.name] }).verdict

  test('supervised asks about everything but reads', () => {
    expect(verdictOf(full(), read, 'supervised')).toBe('allow')
    expect(verdictOf(full(), write, 'supervised')).toBe('ask')
    expect(verdictOf(full(), media, 'supervised')).toBe('ask')
    expect(verdictOf(full({ rules: [{ ...ask, verdict: 'allow' }] }), shell, 'supervised')).toBe('ask')
    expect(verdictOf(full(), write, 'guarded' as never)).toBe('ask')
  })
  test('autonomous lowers a confirm to a log line', () => {
    expect(verdictOf(full(), shell, 'standard')).toBe('ask')
    expect(full().decide(shell, {}, { autonomy: 'autonomous' })).toMatchObject({ verdict: 'allow', log: true })
  })
  test('autonomous never lowers a rule, a hook that insists, nor a tool that does', () => {
    expect(verdictOf(full({ rules: [ask] }), shell, 'autonomous')).toBe('ask')
    expect(verdictOf(full({ rules: [{ ...ask, verdict: 'deny' }] }), shell, 'autonomous')).toBe('deny')
    const insisting = full({ hooks: [{ pattern: 'shell.*', hook: 'confirm', insist: true }] })
    expect(verdictOf(insisting, shell, 'autonomous')).toBe('ask')
    expect(verdictOf(full(), tool('tool.create', { effect: 'write', hook: 'confirm' }), 'autonomous')).toBe('ask')
  })
  test("an autonomous agent reads in people's accounts, and changes nothing", () => {
    expect(verdictOf(full(), gmail, 'autonomous')).toBe('deny')
    const context = { autonomy: 'autonomous', attachments: ['google.gmail'] } as const
    expect(full().decide(gmail, { action: 'search' }, context).verdict).toBe('allow')
  })
})

test('a tool that cannot say what a call does counts as one that sends', () => {
  const odd = [
    tool('a', { effectOf: () => 'harmless' as never }),
    tool('b', {
      effectOf: () => {
        throw new Error('no')
      },
    }),
  ]
  for (const one of odd) expect(full().decide(one, {}).verdict).toBe('ask')
})

test('a context that is changed is a new context', () => {
  const policy = full({ agents: { a: { deny: ['*'] } } })
  const context: PolicyContext = { attachments: ['file.read'] }
  expect(policy.decide(read, {}, context).verdict).toBe('allow')
  context.agent = 'a'
  expect(policy.decide(read, {}, context).verdict).toBe('deny')
  delete context.agent
  context.attachments = []
  expect(policy.decide(read, {}, context).verdict).toBe('deny')
  expect([...policy.resolve(tools, context).values()].every(({ verdict }) => verdict === 'deny')).toBe(true)
})

test('a registry that changed is resolved anew', () => {
  const list = [read]
  const changing = { version: 1, list: () => list }
  expect(full().resolve(changing).size).toBe(1)
  const policy = full()
  expect(policy.resolve(changing).size).toBe(1)
  list.push(write)
  expect(policy.resolve(changing).size).toBe(1)
  changing.version = 2
  expect(policy.resolve(changing).size).toBe(2)
})

test('decisions are frozen, for calls share them', () => {
  const policy = full()
  const decision = policy.decide(read, { path: 'a' })
  expect(policy.decide(read, { path: 'b' })).toBe(decision)
  expect(Object.isFrozen(decision) && Object.isFrozen(decision.trail)).toBe(true)
})

test('explain says why there is no such tool, and which one an alias means', () => {
  const aliased = source(tool('file.read', { aliases: [{ name: 'Read', system: 'lynkr' }] }))
  expect(full().explain('nope', aliased)).toEqual([
    { layer: 'tool', verdict: 'deny', reason: 'there is no tool named nope' },
  ])
  expect(full().explain('Read', aliased)[0]!.reason).toContain('it is another name of file.read')
})

test('the trail tells a person how it came, layer by layer', () => {
  const policy = new Policy({
    profile: 'minimal',
    allow: ['shell.*'],
    agents: { dev: { profile: 'coding' } },
    hooks: [{ pattern: 'shell.exec', hook: 'confirm' }],
  })
  const { trail } = policy.decide(shell, {}, { agent: 'dev', autonomy: 'autonomous' })
  expect(trail.map(({ layer, verdict, reason }) => `${layer} ${verdict}: ${reason}`)).toEqual([
    'attachment allow: nothing is attached to the agent, and this is a default tool',
    'profile deny: not in the profile minimal of the workspace',
    'global allow: allowed by the workspace: shell.*',
    'agent allow: in the profile coding of this agent: group:runtime',
    'hook ask: this workspace asks before shell.exec runs',
    'autonomy allow: the agent is autonomous: it is logged instead of asked',
  ])
})

describe('a group that was made in the console', () => {
  const groups = { crew: { description: 'What we built', tools: ['file.*', 'media.send'] } }

  test('is meant by allow, deny, profiles, agents, skills, hooks and rules, and the trail names it', () => {
    expect(allowed({ profile: 'minimal', groups, allow: ['group:crew'] })).toContain('media.send')
    expect(allowed({ profile: 'full', groups, deny: ['group:crew'] })).not.toContain('file.read')
    expect(allowed({ profile: 'mine', groups, profiles: { mine: { tools: ['group:crew'] } } })).toEqual([
      'file.read',
      'file.write',
      'media.send',
    ])
    expect(allowed({ profile: 'full', groups, skills: { s: { toolGroups: ['crew'] } } }, { skill: 's' })).toEqual([
      'file.read',
      'file.write',
      'media.send',
    ])
    const policy = full({
      groups,
      agents: { a: { deny: ['group:crew'] } },
      hooks: [{ pattern: 'group:crew', hook: 'confirm' }],
    })
    expect(policy.decide(write, {}, {}).trail.at(-1)?.reason).toBe('this workspace asks before group:crew runs')
    expect(policy.decide(write, {}, { agent: 'a' }).trail.at(-1)).toMatchObject({
      reason: 'denied by this agent: group:crew',
      source: 'group:crew',
    })
    const rules = [{ id: 'r', name: 'r', pattern: 'group:crew', verdict: 'deny' as const }]
    expect(full({ groups, rules }).decide(media, {}).verdict).toBe('deny')
    expect(full({ groups, rules }).decide(shell, {}).verdict).toBe('ask')
  })

  test('counts for a call as it does for the list', () => {
    const policy = full({ groups, deny: ['group:crew'] })
    expect(policy.isAllowed('file.read', ['file.read'])).toBe(false)
    expect(policy.isAllowed('shell.exec', ['shell.exec'])).toBe(true)
  })
})

test('dead patterns are reported with their place, and so is an allow that changes nothing', () => {
  const policy = full({
    allow: ['file.*', 'fil.*'],
    deny: ['group:nothing'],
    profiles: { mine: { tools: ['gone.tool'] } },
    groups: { crew: { tools: ['file.*', 'gone.*'] } },
    agents: { a: { allow: ['file.read'], deny: ['Bash'] } },
    skills: { s: { toolGroups: ['fs', 'k8s'] } },
    hooks: [{ pattern: 'nope', hook: 'log' }],
    rules: [{ id: 'r', name: 'r', pattern: 'mcp:gone:*', verdict: 'ask' }],
  })
  expect(policy.deadPatterns(tools).map(({ path, pattern }) => `${path} ${pattern}`)).toEqual([
    'allow[1] fil.*',
    'deny[0] group:nothing',
    'profiles.mine.tools[0] gone.tool',
    'groups.crew.tools[1] gone.*',
    'skills.s.toolGroups[1] group:k8s',
    'hooks[0].pattern nope',
    'rules[0].pattern mcp:gone:*',
    'agents.a.allow[0] file.read',
  ])
})

describe('what runs unasked whatever the arguments are', () => {
  const search = tool('web.search')
  const rule = (verdict: 'allow' | 'ask' | 'deny', conditions: object[] = []) => ({
    rules: [{ id: 'r', name: 'r', pattern: 'web.*', verdict, conditions: conditions as never }],
  })
  const some = [{ path: 'query', glob: '*x*' }]

  test('is what no rule and no hook says otherwise of', () => {
    expect(full().runsUnasked(search)).toBe(true)
    expect(full(rule('allow')).runsUnasked(search)).toBe(true)
  })
  test('is nothing that is denied or asked about, for every call or for some', () => {
    for (const config of [rule('deny'), rule('ask'), rule('deny', some), rule('ask', some), rule('allow', some)])
      expect(full(config).runsUnasked(search), JSON.stringify(config)).toBe(false)
    expect(full({ deny: ['web.*'] }).runsUnasked(search)).toBe(false)
    expect(full({ hooks: [{ pattern: 'web.search', hook: 'confirm' }] }).runsUnasked(search)).toBe(false)
    const silent = { pattern: 'web.search', hook: 'silent', conditions: some } as never
    expect(full({ hooks: [silent] }).runsUnasked(search)).toBe(false)
  })
})
