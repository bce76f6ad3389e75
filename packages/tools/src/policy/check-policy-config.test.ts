import { expect, test } from 'vitest'
import { checkPolicyConfig, PolicyConfigError, parsePolicyConfig } from './check-policy-config.ts'
import { Policy } from './policy.ts'
import type { PolicyConfig, Rule } from './policy-config.ts'
import { checkRule } from './rules.ts'

const rule: Rule = { id: 'r', name: 'r', pattern: 'shell.exec', verdict: 'ask' }
const whole: PolicyConfig = {
  profile: 'mine',
  allow: ['file.*'],
  deny: ['group:web'],
  profiles: { mine: { description: 'Mine', tools: ['*'], reads: [] } },
  groups: { crew: { description: 'Ours', tools: ['shell.*', 'Read', 'group:git'] } },
  agents: { a: { profile: 'minimal', allow: ['group:crew'], deny: [], approval: { approvers: { requester: true } } } },
  providers: { ollama: { deny: ['web.search'] } },
  skills: { s: { tools: ['file.read'], toolGroups: ['fs', 'group:git'] } },
  hooks: [{ pattern: '*', conditions: [{ path: 'a', present: true }], hook: 'confirm', insist: true }],
  rules: [
    {
      ...rule,
      conditions: [
        { path: 'command', command: 'git push*' },
        { path: 'x', not: { path: 'x', oneOf: [1, 2] } },
      ],
      approval: {
        required: 2,
        expiresInMs: 1000,
        onExpiry: 'escalate',
        escalateTo: { roles: ['owner'] },
        lease: false,
      },
      mustMatch: [{ tool: 'shell.exec', arguments: { command: 'git push' } }],
      mustNotMatch: [{ arguments: { command: 'git pull' } }],
      note: 'x',
      enabled: true,
    },
  ],
  approval: { lease: { maxUses: 3, durationMs: 1000 }, mayEdit: false },
}

test('a whole configuration has no problems', () => {
  expect(checkPolicyConfig(whole)).toEqual([])
  expect(parsePolicyConfig(whole)).toBe(whole)
})

test('every problem is reported at once, with its place', () => {
  const problems = checkPolicyConfig({
    profile: 'nope',
    denny: [],
    allow: 'file.*',
    deny: ['file*', 7],
    profiles: { full: { tools: ['*'] }, mine: {} },
    agents: { a: { profile: '__proto__', deny: [''] }, b: 7 },
    providers: { p: { approval: {} } },
    skills: { s: { tools: ['* *'], toolGroups: ['*'] } },
    hooks: [
      { pattern: '*', hook: 'loud' },
      { pattern: '*', hook: 'log', insist: true },
    ],
    rules: [
      { ...rule },
      { ...rule, verdict: 'perhaps' },
      { ...rule, id: 'c', conditions: [{ path: 'a' }, { path: 'a', equals: 1, max: 2 }, { path: 'a', max: '1' }, 7] },
      { ...rule, id: 'd', verdict: 'allow', conditions: [{ path: 'command', command: 'sudo x' }] },
      { ...rule, id: 'e', mustMatch: [{ tool: 'file.read', arguments: {} }], mustNotMatch: [{ arguments: {} }] },
      { ...rule, id: 'f', approval: { required: 0, lease: {}, onExpiry: 'escalate', approvers: { roles: ['king'] } } },
    ],
    approval: { approvers: { requester: true, notRequester: true } },
  })
  expect(problems.map(({ path }) => path)).toEqual(
    [
      'denny',
      'profile',
      'allow',
      'deny[0]',
      'deny[1]',
      'profiles.full',
      'profiles.mine.tools',
      'agents.a.profile',
      'agents.a.deny[0]',
      'agents.b',
      'providers.p.approval',
      'skills.s.tools[0]',
      'skills.s.toolGroups[0]',
      'hooks[0].hook',
      'hooks[1].insist',
      'rules[1].id',
      'rules[1].verdict',
      'rules[2].conditions[0]',
      'rules[2].conditions[1]',
      'rules[2].conditions[2].max',
      'rules[2].conditions[3]',
      'rules[3].conditions[0].command',
      'rules[4]',
      'rules[4]',
      'rules[5].approval.required',
      'rules[5].approval.approvers.roles[0]',
      'rules[5].approval.lease.maxUses',
      'rules[5].approval.lease.durationMs',
      'rules[5].approval.escalateTo',
      'approval.approvers',
    ].toSorted((a, b) => problems.findIndex((p) => p.path === a) - problems.findIndex((p) => p.path === b)),
  )
  const said = problems.map(({ path, message }) => `${path}: ${message}`).join('\n')
  for (const sentence of [
    'profile: there is no profile "nope"; there are minimal, messaging, coding, full, mine',
    'profiles.full: full is a built-in profile; give yours another name',
    'rules[1].id: there is another rule with the id "r"',
    'rules[4]: does not match file.read {}, and must',
    'rules[4]: matches {}, and must not',
  ])
    expect(said).toContain(sentence)
})

test('a group has tools and built-in groups, and a name that no other group has', () => {
  const problems = checkPolicyConfig({
    profile: 'full',
    groups: {
      fs: { tools: [] },
      manifest: { tools: [] },
      'two words': { tools: [] },
      a: { tools: ['group:b', '*', 'file*'] },
      b: {},
      c: { tools: 'file.*', more: 1 },
    },
  })
  expect(problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    'groups.fs: there is a built-in group fs; give yours another name',
    'groups.manifest: there is a built-in group manifest; give yours another name',
    expect.stringContaining('groups.two words: the pattern "group:two words" has a character'),
    'groups.a.tools[0]: a group is not in a group; name the tools of group:b',
    'groups.a.tools[1]: a group does not stand for every tool; write * where it is meant',
    expect.stringContaining('groups.a.tools[2]: the pattern "file*"'),
    'groups.b.tools: is missing',
    'groups.c.more: is not known here; there are description, tools',
    'groups.c.tools: must be a list',
  ])
})

test('the examples of a rule of a group are held to its tools', () => {
  const groups = { crew: { tools: ['shell.*'] } }
  const example = (tool: string) => [{ tool, arguments: {} }]
  const ofCrew = {
    ...rule,
    pattern: 'group:crew',
    mustMatch: example('shell.exec'),
    mustNotMatch: example('file.read'),
  }
  expect(checkPolicyConfig({ profile: 'full', groups, rules: [ofCrew] })).toEqual([])
  expect(
    checkPolicyConfig({ profile: 'full', groups, rules: [{ ...ofCrew, mustMatch: example('web.fetch') }] }),
  ).toEqual([{ path: 'rules[0]', message: 'does not match web.fetch {}, and must' }])
})

test('what is not an object is no policy', () => {
  for (const value of [null, undefined, 7, 'x', [], () => {}]) expect(checkPolicyConfig(value)).toHaveLength(1)
})

test('a configuration from JSON with __proto__ in it is read as it is written', () => {
  expect(checkPolicyConfig(JSON.parse('{"profile":"full","__proto__":{"deny":["*"]}}'))).toMatchObject([
    { path: '__proto__' },
  ])
  const config = JSON.parse('{"profile":"full","agents":{"__proto__":{"profile":"minimal"}}}')
  expect(new Policy(config).isAllowed('shell.exec', ['shell.exec'], { agent: '__proto__' })).toBe(false)
  expect(new Policy(config).isAllowed('shell.exec', ['shell.exec'], { agent: 'other' })).toBe(true)
})

test('a policy with a problem cannot be made, and says all of them', () => {
  const make = () => new Policy({ profile: 'full', deny: ['file*', 'x y'] })
  expect(make).toThrow(PolicyConfigError)
  expect(make).toThrow(/2 problems:\ndeny\[0\]: .*\ndeny\[1\]: /)
})

test("a rule's examples must and must not match, by its own reading", () => {
  const status: Rule = {
    ...rule,
    verdict: 'allow',
    conditions: [{ path: 'command', command: 'git status*' }],
    mustMatch: [{ arguments: { command: 'git status' } }],
    mustNotMatch: [{ arguments: { command: 'git status; rm x' } }, { tool: 'file.read', arguments: {} }],
  }
  expect(checkRule(status)).toEqual([])
  expect(checkRule({ ...status, verdict: 'deny' })).toEqual(['matches {"command":"git status; rm x"}, and must not'])
  expect(checkRule({ ...status, pattern: 'x y', conditions: [{ path: '', equals: 1 }] })).toHaveLength(2)
  expect(checkRule({ ...rule, pattern: 'Bash', mustMatch: [{ tool: 'shell.exec', arguments: {} }] })).toEqual([])
})
