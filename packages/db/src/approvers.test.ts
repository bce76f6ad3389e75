import { expect, test } from 'vitest'
import { approversShape, mayAnswer } from './approvers.ts'
import { type Role, roles } from './roles.ts'

const member = (role: Role, id = 'm1', disabled = false) => ({ id, role, disabled })
const entitled = (rule: Parameters<typeof mayAnswer>[0]) => roles.filter((role) => mayAnswer(rule, member(role), []))

test('a rule that names nobody entitles approvers and above', () => {
  expect(entitled({})).toEqual(['owner', 'admin', 'approver'])
})

test('a rule that names a role entitles it and the ones above it', () => {
  expect(entitled({ roles: ['admin'] })).toEqual(['owner', 'admin'])
  expect(entitled({ roles: ['member'] })).toEqual(['owner', 'admin', 'approver', 'member'])
})

test('a rule that names members entitles them and nobody else, unless it names roles too', () => {
  expect(entitled({ memberIds: ['m1'] })).toEqual(roles)
  expect(entitled({ memberIds: ['m2'] })).toEqual([])
  expect(entitled({ memberIds: ['m2'], roles: ['owner'] })).toEqual(['owner'])
  expect(entitled({ roles: [] })).toEqual([])
})

test('with four eyes, nobody who asked may answer, and others may', () => {
  const rule = { notRequester: true, memberIds: ['m1', 'm2'] }
  expect(mayAnswer(rule, member('owner', 'm1'), ['m1'])).toBe(false)
  expect(mayAnswer(rule, member('owner', 'm2'), ['m1'])).toBe(true)
  expect(mayAnswer({ memberIds: ['m1'] }, member('owner', 'm1'), ['m1'])).toBe(true)
})

test('a rule that names the requester entitles the one who started the run, and nobody else unless it names them', () => {
  const rule = { requester: true }
  expect(mayAnswer(rule, member('viewer', 'm1'), ['m1'], 'm1')).toBe(true)
  expect(mayAnswer(rule, member('owner', 'm2'), ['m1'], 'm1')).toBe(false)
  expect(mayAnswer({ requester: true, roles: ['admin'] }, member('owner', 'm2'), ['m1'], 'm1')).toBe(true)
  expect(mayAnswer({ requester: true, memberIds: ['m3'] }, member('member', 'm3'), ['m1'], 'm1')).toBe(true)
  expect(mayAnswer({ requester: false }, member('approver', 'm2'), ['m1'], 'm1')).toBe(true)
})

test('whoever wrote into somebody else’s run is no requester who may answer', () => {
  expect(mayAnswer({ requester: true }, member('member', 'm2'), ['m1', 'm2'], 'm1')).toBe(false)
})

test('of a run that nobody asked for, nobody is the requester', () => {
  for (const role of roles) expect(mayAnswer({ requester: true }, member(role), [], null)).toBe(false)
})

test('four eyes win over a rule that names the requester', () => {
  const rule = { requester: true, notRequester: true, roles: ['member' as const] }
  expect(mayAnswer(rule, member('owner', 'm1'), ['m1'], 'm1')).toBe(false)
  expect(mayAnswer(rule, member('member', 'm2'), ['m1'], 'm1')).toBe(true)
})

test('of several rules, all must let the member answer', () => {
  const rule = { roles: ['approver' as const], allOf: [{ memberIds: ['m1', 'm2'] }, { notRequester: true }] }
  expect(mayAnswer(rule, member('admin', 'm1'), ['m3'], 'm3')).toBe(true)
  expect(mayAnswer(rule, member('member', 'm1'), ['m3'], 'm3')).toBe(false)
  expect(mayAnswer(rule, member('admin', 'm4'), ['m3'], 'm3')).toBe(false)
  expect(mayAnswer(rule, member('admin', 'm2'), ['m3', 'm2'], 'm3')).toBe(false)
  // A rule that names nobody still means the approvers, beside whatever else must hold.
  expect(mayAnswer({ allOf: [{ memberIds: ['m1'] }] }, member('member', 'm1'), [])).toBe(false)
  expect(mayAnswer({ allOf: [{ memberIds: ['m1'] }] }, member('approver', 'm1'), [])).toBe(true)
  expect(approversShape.safeParse({ allOf: [{ role: 'owner' }] }).success).toBe(false)
  expect(approversShape.safeParse(rule).success).toBe(true)
})

test('a disabled member may not answer, whatever the rule says', () => {
  expect(mayAnswer({ memberIds: ['m1'] }, member('owner', 'm1', true), [])).toBe(false)
})

test('a rule with a word that it does not know is not a rule', () => {
  expect(approversShape.safeParse({ role: ['owner'] }).success).toBe(false)
  expect(approversShape.safeParse({ roles: ['owner'] }).success).toBe(true)
})
