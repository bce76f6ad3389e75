import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bothOf, resolveApproval } from './approval.ts'
import { Policy } from './policy.ts'
import type { ApproverRule, Role } from './policy-config.ts'
import { tool } from './testing.ts'

const roles: readonly Role[] = ['viewer', 'member', 'approver', 'admin', 'owner']

interface Person {
  id: string
  role: Role
  requester: boolean
}

/** What an approver rule means, read as simply as can be. */
function entitles(rule: ApproverRule, person: Person): boolean {
  if (rule.notRequester && person.requester) return false
  if (rule.allOf?.some((other) => !entitles(other, person))) return false
  const nobodyNamed = !rule.requester && !rule.roles && !rule.memberIds
  const needed = nobodyNamed ? ['approver' as const] : (rule.roles ?? [])
  return (
    (rule.requester === true && person.requester) ||
    rule.memberIds?.includes(person.id) === true ||
    needed.some((role) => roles.indexOf(person.role) >= roles.indexOf(role))
  )
}

const approverRule: fc.Arbitrary<ApproverRule> = fc.record(
  {
    requester: fc.boolean(),
    notRequester: fc.boolean(),
    roles: fc.subarray([...roles]),
    memberIds: fc.subarray(['a', 'b', 'c']),
  },
  { requiredKeys: [] },
)
const people: readonly Person[] = ['a', 'b', 'c', 'd'].flatMap((id) =>
  roles.flatMap((role) => [true, false].map((requester) => ({ id, role, requester }))),
)

test('the approvers of several rules are exactly those whom every one of them entitles', () => {
  fc.assert(
    fc.property(fc.array(approverRule, { minLength: 1, maxLength: 4 }), (rules) => {
      const combined = rules.reduce(bothOf)
      for (const person of people)
        expect(entitles(combined, person)).toBe(rules.every((rule) => entitles(rule, person)))
    }),
    { numRuns: 1_000 },
  )
})

test('what one plain rule can say is one plain rule', () => {
  expect(bothOf({}, { roles: ['admin'] })).toEqual({ roles: ['admin'] })
  expect(bothOf({ requester: true, roles: ['approver'] }, { roles: ['admin'] })).toEqual({ roles: ['admin'] })
  expect(bothOf({}, { notRequester: true })).toEqual({ roles: ['approver'], notRequester: true })
  expect(bothOf({ requester: true }, { roles: ['admin'] })).toEqual({ requester: true, allOf: [{ roles: ['admin'] }] })
})

describe('an approval', () => {
  test('comes from the rule, else the agent, else the workspace, else it is one approver, and silence denies', () => {
    expect(resolveApproval([])).toMatchObject({ approvers: {}, required: 1, onExpiry: 'deny', mayEdit: true })
    const workspace = { required: 3, mayEdit: false, expiresInMs: 9_000 }
    const agent = { required: 2, approvers: { requester: true } }
    expect(resolveApproval([], agent, workspace)).toMatchObject({ required: 2, mayEdit: false, expiresInMs: 9_000 })
    expect(resolveApproval([{ required: 1 }], agent, workspace)).toMatchObject({
      required: 1,
      approvers: { requester: true },
    })
    expect(resolveApproval([{ lease: false }], undefined, { lease: { maxUses: 5, durationMs: 5 } }).lease).toBe(false)
  })
  test('takes what silence means from one place', () => {
    const escalates = { onExpiry: 'escalate', escalateTo: { roles: ['owner'] } } as const
    expect(resolveApproval([], undefined, escalates)).toMatchObject(escalates)
    expect(resolveApproval([{ onExpiry: 'deny' }], undefined, escalates)).not.toHaveProperty('escalateTo')
  })
  test('of several rules is the strictest of them all, in whatever order', () => {
    const one = {
      required: 2,
      expiresInMs: 5_000,
      onExpiry: 'escalate',
      escalateTo: { roles: ['owner'] },
      lease: { maxUses: 5, durationMs: 100 },
    } as const
    const other = { mayEdit: false, lease: { maxUses: 9, durationMs: 50 }, expiresInMs: 9_000 } as const
    for (const order of [
      [one, other],
      [other, one],
    ]) {
      const approval = resolveApproval(order)
      expect(approval).toEqual({
        approvers: { roles: ['approver'] },
        required: 2,
        expiresInMs: 5_000,
        onExpiry: 'deny',
        lease: { maxUses: 5, durationMs: 50 },
        mayEdit: false,
      })
    }
    expect(resolveApproval([one, { lease: false }]).lease).toBe(false)
  })
})

test('a decision that asks says who may answer, and one that does not says nothing', () => {
  const ask = (id: string, approval: object) => ({
    id,
    name: id,
    pattern: 'shell.*',
    verdict: 'ask' as const,
    approval,
  })
  const policy = new Policy({
    profile: 'full',
    agents: { a: { approval: { approvers: { requester: true } } } },
    approval: { required: 2 },
    rules: [ask('x', { required: 3 }), ask('y', { approvers: { roles: ['admin'] } })],
  })
  const shell = tool('shell.exec', { effect: 'execute' })
  expect(policy.decide(shell, {}).approval).toMatchObject({ required: 3, approvers: { roles: ['admin'] } })
  const other = tool('x.run', { effect: 'execute' })
  expect(policy.decide(other, {}, { agent: 'a' }).approval).toMatchObject({
    required: 2,
    approvers: { requester: true },
  })
  expect(policy.decide(tool('file.read'), {}).approval).toBeNull()
})
