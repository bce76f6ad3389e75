// Reads a policy configuration that came from outside, and says everything that is wrong with it at once.
//
// It is strict: what is not known is a problem and not ignored, for a `denny` that nobody reads denies nothing.
import { compileCondition } from './conditions.ts'
import { builtinGroups } from './groups.ts'
import { type OwnGroups, parsePattern } from './pattern.ts'
import type { Condition, PolicyConfig, Rule } from './policy-config.ts'
import { builtinProfiles } from './profiles.ts'
import { checkRule, readingOf } from './rules.ts'
import { neverCovers } from './shell-command.ts'

export interface ConfigProblem {
  /** `agents.fast.deny[0]`; empty for the whole. */
  path: string
  message: string
}

export class PolicyConfigError extends Error {
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    super(`the policy has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${list(problems)}`)
    this.name = 'PolicyConfigError'
    this.problems = problems
  }
}

const list = (problems: readonly ConfigProblem[]) =>
  problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('\n')

/** Throws a PolicyConfigError. */
export function parsePolicyConfig(value: unknown): PolicyConfig {
  const problems = checkPolicyConfig(value)
  if (problems.length > 0) throw new PolicyConfigError(problems)
  return value as PolicyConfig
}

/** Empty: it can be saved. */
export function checkPolicyConfig(value: unknown): ConfigProblem[] {
  if (!isRecord(value)) return [{ path: '', message: 'a policy is an object' }]
  const check = new Check()
  const groups = isRecord(value.groups) ? value.groups : {}
  const readGroups = check.record((at, group, name) => {
    if (builtinGroups.has(name)) check.add(at, `there is a built-in group ${name}; give yours another name`)
    else check.attempt(at, () => parsePattern(`group:${name}`))
    check.object(at, group, {
      description: check.optional(check.string),
      tools: (path, tools) =>
        tools === undefined ? check.add(path, 'is missing') : check.array(check.member(groups))(path, tools),
    })
  })
  readGroups('groups', value.groups)
  // The examples of a rule are held to what its pattern matches, so they wait until that can be said.
  if (check.problems.length === 0) check.groups = groups as OwnGroups
  const profiles = new Set([...builtinProfiles.keys(), ...Object.keys(isRecord(value.profiles) ? value.profiles : {})])
  const layer = (path: string) => ({
    profile: check.optional((at, name) => check.profile(at, name, profiles)),
    allow: check.patterns,
    deny: check.patterns,
    ...(path === 'agents' && { approval: check.optional(check.approval) }),
  })
  check.object('', value, {
    ...layer(''),
    profile: (at, name) => check.profile(at, name, profiles),
    profiles: check.record((at, profile, name) => {
      if (builtinProfiles.has(name)) check.add(at, `${name} is a built-in profile; give yours another name`)
      check.object(at, profile, {
        description: check.optional(check.string),
        tools: (path, tools) => (tools === undefined ? check.add(path, 'is missing') : check.patterns(path, tools)),
        reads: check.patterns,
      })
    }),
    groups: () => {},
    disabled: check.patterns,
    agents: check.record((at, agent) => check.object(at, agent, layer('agents'))),
    providers: check.record((at, provider) => check.object(at, provider, layer('providers'))),
    skills: check.record((at, skill) =>
      check.object(at, skill, {
        tools: check.patterns,
        toolGroups: check.array((path, group) =>
          check.pattern(path, typeof group === 'string' && !group.startsWith('group:') ? `group:${group}` : group),
        ),
      }),
    ),
    hooks: check.array(check.hook),
    rules: check.array(check.rule),
    approval: check.optional(check.approval),
  })
  return check.problems
}

type Reader = (path: string, value: unknown) => void

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

class Check {
  readonly problems: ConfigProblem[] = []
  groups: OwnGroups = {}
  readonly #ids = new Set<string>()

  readonly add = (path: string, message: string): void => {
    this.problems.push({ path, message })
  }

  readonly optional =
    (read: Reader): Reader =>
    (path, value) => {
      if (value !== undefined) read(path, value)
    }

  /** Every key is read by its reader, also the ones that are not there; any other key is a problem. */
  readonly object = (path: string, value: unknown, readers: Record<string, Reader>) => {
    if (!isRecord(value)) return this.add(path, 'must be an object')
    for (const key of Object.keys(value))
      if (!Object.hasOwn(readers, key))
        this.add(join(path, key), `is not known here; there are ${Object.keys(readers).join(', ')}`)
    for (const [key, read] of Object.entries(readers))
      read(join(path, key), Object.hasOwn(value, key) ? value[key] : undefined)
  }

  readonly record =
    (read: (path: string, value: unknown, key: string) => void): Reader =>
    (path, value) => {
      if (value === undefined) return
      if (!isRecord(value)) return this.add(path, 'must be an object')
      for (const [key, one] of Object.entries(value)) read(join(path, key), one, key)
    }

  readonly array =
    (read: Reader): Reader =>
    (path, value) => {
      if (value === undefined) return
      if (!Array.isArray(value)) return this.add(path, 'must be a list')
      for (const [i, one] of value.entries()) read(`${path}[${i}]`, one)
    }

  readonly string: Reader = (path, value) => {
    if (typeof value !== 'string') this.add(path, 'must be a text')
  }

  readonly boolean: Reader = (path, value) => {
    if (typeof value !== 'boolean') this.add(path, 'must be true or false')
  }

  readonly whole =
    (least: number): Reader =>
    (path, value) => {
      if (!Number.isSafeInteger(value) || (value as number) < least)
        this.add(path, `must be a whole number from ${least} on`)
    }

  readonly oneOf =
    (...values: readonly string[]): Reader =>
    (path, value) => {
      if (!values.includes(value as string)) this.add(path, `must be one of ${values.join(', ')}`)
    }

  readonly pattern: Reader = (path, value) => this.attempt(path, () => parsePattern(value))

  readonly patterns: Reader = (path, value) => this.array(this.pattern)(path, value)

  readonly member =
    (own: object): Reader =>
    (path, value) =>
      this.attempt(path, () => {
        const pattern = parsePattern(value)
        if (pattern.kind === 'any') throw new Error('a group does not stand for every tool; write * where it is meant')
        if (pattern.kind === 'group' && Object.hasOwn(own, pattern.group))
          throw new Error(`a group is not in a group; name the tools of group:${pattern.group}`)
      })

  profile(path: string, value: unknown, known: ReadonlySet<string>): void {
    if (typeof value !== 'string') this.add(path, 'must be the name of a profile')
    else if (!known.has(value))
      this.add(path, `there is no profile ${JSON.stringify(value)}; there are ${[...known].join(', ')}`)
  }

  readonly hook: Reader = (path, value) => {
    this.object(path, value, {
      pattern: this.pattern,
      conditions: this.conditions('possibly'),
      hook: this.oneOf('confirm', 'log', 'silent'),
      insist: this.optional(this.boolean),
    })
    if (isRecord(value) && value.insist === true && value.hook !== 'confirm')
      this.add(join(path, 'insist'), 'goes with confirm only')
  }

  readonly rule: Reader = (path, value) => {
    const before = this.problems.length
    this.object(path, value, {
      id: (at, id) => {
        if (typeof id !== 'string' || id === '') return this.add(at, 'must be a text')
        if (this.#ids.has(id)) this.add(at, `there is another rule with the id ${JSON.stringify(id)}`)
        this.#ids.add(id)
      },
      name: this.string,
      pattern: this.pattern,
      conditions: this.conditions(isRecord(value) && value.verdict === 'allow' ? readingOf('allow') : 'possibly'),
      verdict: this.oneOf('allow', 'ask', 'deny'),
      approval: this.optional(this.approval),
      mustMatch: this.array(this.example),
      mustNotMatch: this.array(this.example),
      note: this.optional(this.string),
      enabled: this.optional(this.boolean),
    })
    if (this.problems.length === before)
      for (const problem of checkRule(value as Rule, [], this.groups)) this.add(path, problem)
  }

  readonly example: Reader = (path, value) =>
    this.object(path, value, {
      tool: this.optional(this.string),
      arguments: (at, args) => {
        if (!isRecord(args)) this.add(at, 'must be an object')
      },
    })

  readonly conditions = (reading: 'surely' | 'possibly'): Reader =>
    this.array((path, value) => this.condition(path, value, reading, 0))

  condition(path: string, value: unknown, reading: 'surely' | 'possibly', depth: number): void {
    if (!isRecord(value) || depth > 8) {
      this.add(path, depth > 8 ? 'is nested too deep' : 'must be an object')
      return
    }
    const texts = this.array(this.string)
    const kinds: Record<string, Reader> = {
      equals: () => {},
      oneOf: this.array(() => {}),
      glob: this.string,
      command: (at, command) => {
        this.string(at, command)
        if (typeof command === 'string' && reading === 'surely')
          this.attempt(at, () => {
            const never = neverCovers(command)
            if (never !== null) throw new Error(never)
          })
      },
      host: texts,
      under: texts,
      max: (at, max) => {
        if (typeof max !== 'number' || Number.isNaN(max)) this.add(at, 'must be a number')
      },
      present: this.boolean,
      not: (at, inner) => this.condition(at, inner, reading === 'surely' ? 'possibly' : 'surely', depth + 1),
    }
    const said = Object.keys(value).filter((key) => key !== 'path')
    const kind = said[0]
    if (said.length !== 1 || kind === undefined || !Object.hasOwn(kinds, kind)) {
      this.add(path, `must say exactly one of ${Object.keys(kinds).join(', ')}`)
      return
    }
    const before = this.problems.length
    kinds[kind]!(join(path, kind), value[kind])
    if (this.problems.length === before)
      this.attempt(path, () => compileCondition(value as unknown as Condition, reading))
  }

  readonly approval: Reader = (path, value) => {
    this.object(path, value, {
      approvers: this.optional(this.approvers),
      required: this.optional(this.whole(1)),
      expiresInMs: this.optional(this.whole(1)),
      onExpiry: this.optional(this.oneOf('deny', 'escalate')),
      escalateTo: this.optional(this.approvers),
      lease: this.optional((at, lease) => {
        if (lease !== false) this.object(at, lease, { maxUses: this.whole(1), durationMs: this.whole(1) })
      }),
      mayEdit: this.optional(this.boolean),
    })
    if (isRecord(value) && (value.onExpiry === 'escalate') !== (value.escalateTo !== undefined))
      this.add(join(path, 'escalateTo'), 'says whom to ask next, exactly where it escalates')
  }

  readonly approvers: Reader = (path, value) => {
    this.object(path, value, {
      requester: this.optional(this.boolean),
      notRequester: this.optional(this.boolean),
      roles: this.array(this.oneOf('owner', 'admin', 'approver', 'member', 'viewer')),
      memberIds: this.array(this.string),
      allOf: this.array(this.approvers),
    })
    if (isRecord(value) && value.requester && value.notRequester && !value.roles && !value.memberIds)
      this.add(path, 'leaves nobody: the requester, and not the requester')
  }

  attempt(path: string, read: () => unknown): void {
    try {
      read()
    } catch (error) {
      this.add(path, error instanceof Error ? error.message : String(error))
    }
  }
}

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)
