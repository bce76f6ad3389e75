// Lynkr's policy settings, as the rules and configurations that do here what they did there.
//
//   POLICY_GIT_ALLOW_PUSH=false      `git push`, in any disguise, is denied in the shell and in processes
//   POLICY_GIT_REQUIRE_TESTS=true    `git.commit` runs POLICY_GIT_TEST_COMMAND first; `git commit` by shell is denied
//   WEB_SEARCH_ALLOWED_HOSTS=a,b     web tools reach these hosts and no others; the tools get the list for redirects
//   POLICY_MAX_STEPS=8               steps of a run
//
// What is not set changes nothing. What cannot be read stops the start, it does not mean "no".
import type { Condition, Rule } from './policy-config.ts'

export interface LynkrSettings {
  POLICY_GIT_ALLOW_PUSH?: string
  POLICY_GIT_REQUIRE_TESTS?: string
  POLICY_GIT_TEST_COMMAND?: string
  WEB_SEARCH_ALLOWED_HOSTS?: string
  POLICY_MAX_STEPS?: string
}

export interface LynkrPolicy {
  rules: Rule[]
  /** Presets of the configuration of attached tools, by canonical name. */
  configs: Record<string, Record<string, unknown>>
  maxSteps: number | null
}

const commandTools = ['shell.exec', 'process.start'] as const

/** Ways to push; `git-push`, `git -C x push` and the like are the first of them to the matcher. */
const pushes = [
  'git push*',
  'git send-pack*',
  'git http-push*',
  'git subtree push*',
  'git lfs push*',
  'git svn dcommit*',
]
/** Ways to commit that would go round the tests. */
const commits = ['git commit*', 'git commit-tree*', 'git citool*']

const webTools = ['web.fetch', 'web.search', 'web.research', 'http.request', 'browser.navigate'] as const

/** Throws a sentence that names the setting. */
export function fromLynkrSettings(settings: LynkrSettings): LynkrPolicy {
  const policy: LynkrPolicy = { rules: [], configs: {}, maxSteps: null }
  if (readSwitch(settings, 'POLICY_GIT_ALLOW_PUSH') === false)
    policy.rules.push(
      ...denyCommands('push', pushes, 'Pushing is off for this workspace (POLICY_GIT_ALLOW_PUSH).', ['git fetch']),
    )
  const testCommand = settings.POLICY_GIT_TEST_COMMAND?.trim()
  if (readSwitch(settings, 'POLICY_GIT_REQUIRE_TESTS')) {
    if (!testCommand)
      throw new Error('POLICY_GIT_REQUIRE_TESTS is on, but POLICY_GIT_TEST_COMMAND does not say which tests to run')
    policy.configs['git.commit'] = { require_tests: true, test_command: testCommand }
    const note = 'Use git.commit, which runs the tests first (POLICY_GIT_REQUIRE_TESTS).'
    policy.rules.push(...denyCommands('commit', commits, note, ['git status']))
  }
  const hosts = readHosts(settings.WEB_SEARCH_ALLOWED_HOSTS)
  if (hosts !== null)
    for (const tool of webTools) {
      policy.configs[tool] = { allowed_hosts: hosts }
      // The search takes no address: its list is about the results, and its configuration has that.
      if (tool !== 'web.search') policy.rules.push(onlyHosts(tool, hosts))
    }
  policy.maxSteps = readSteps(settings.POLICY_MAX_STEPS)
  return policy
}

function denyCommands(what: string, patterns: readonly string[], note: string, others: readonly string[]): Rule[] {
  return commandTools.flatMap((tool) =>
    patterns.map((command): Rule => {
      const example = command.replace('*', ' x')
      return {
        id: `lynkr:${what}:${tool}:${command}`,
        name: `No ${command.replace('*', '')} by ${tool}`,
        pattern: tool,
        conditions: [{ path: 'command', command }],
        verdict: 'deny',
        mustMatch: [example, `cd x && ${example}`, `sh -c '${example}'`].map((line) => ({
          arguments: { command: line },
        })),
        mustNotMatch: others.map((line) => ({ arguments: { command: line } })),
        note,
      }
    }),
  )
}

/** A call without a URL names no host. */
function onlyHosts(tool: string, hosts: readonly string[]): Rule {
  const listed: Condition = { path: 'url', host: hosts }
  return {
    id: `lynkr:hosts:${tool}`,
    name: `Only allowed hosts by ${tool}`,
    pattern: tool,
    conditions: [
      { path: 'url', present: true },
      { path: 'url', not: listed },
    ],
    verdict: 'deny',
    mustMatch: [{ arguments: { url: 'https://not-in-the-list.invalid/' } }],
    mustNotMatch: [{ arguments: {} }],
    note: `Only these hosts are allowed (WEB_SEARCH_ALLOWED_HOSTS): ${hosts.join(', ')}.`,
  }
}

function readSwitch(
  settings: LynkrSettings,
  name: 'POLICY_GIT_ALLOW_PUSH' | 'POLICY_GIT_REQUIRE_TESTS',
): boolean | null {
  const value = settings[name]?.trim().toLowerCase()
  if (value === undefined || value === '') return null
  if (value === 'true' || value === '1') return true
  if (value === 'false' || value === '0') return false
  throw new Error(`${name} must be true, false, 1 or 0, not ${JSON.stringify(settings[name])}`)
}

/** A host stands for itself and, as `*.host`, for what is below it, when it is written so. */
function readHosts(value: string | undefined): string[] | null {
  if (value === undefined || value.trim() === '') return null
  const hosts = value.split(',').map((host) => host.trim().toLowerCase())
  for (const host of hosts) {
    const name = host.startsWith('*.') ? host.slice(2) : host
    if (!/^[a-z0-9\u0080-\uffff]([a-z0-9\u0080-\uffff.-]*[a-z0-9\u0080-\uffff])?$/.test(name) || name.includes('..'))
      throw new Error(`WEB_SEARCH_ALLOWED_HOSTS has ${JSON.stringify(host)}, which is not a host such as github.com`)
  }
  return [...new Set(hosts)]
}

function readSteps(value: string | undefined): number | null {
  if (value === undefined || value.trim() === '') return null
  const steps = Number(value)
  if (!/^\d+$/.test(value.trim()) || steps < 1 || steps > 1_000)
    throw new Error(`POLICY_MAX_STEPS must be a whole number from 1 to 1000, not ${JSON.stringify(value)}`)
  return steps
}
