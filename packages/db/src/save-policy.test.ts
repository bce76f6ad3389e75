import { beforeEach, describe, expect, test } from 'vitest'
import { verifyAudit } from './audit.ts'
import { loadPolicy, policyRevision } from './policy.ts'
import type { RulePart } from './policy-shape.ts'
import { deletePolicyPart, saveGroup, savePolicySettings, saveProfile, saveRule, saveSkill } from './save-policy.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, race, raceBehind, type TestWorkspace } from './testing-workspace.ts'

const database = useTestDatabase()
let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await createTestWorkspace(database.db)
})

const by = () => ({
  workspaceId: workspace.workspaceId,
  actor: { kind: 'member', id: workspace.members.admin } as const,
  expectedUpdatedAt: null as Date | null,
})
const settings = { profile: 'coding', allow: [], deny: ['browser.*'], providers: {}, hooks: [], approval: {} }
const rule: RulePart = {
  name: 'Never force-push',
  pattern: 'shell.exec',
  conditions: [{ path: 'command', command: 'git push --force*' }],
  decision: 'deny',
  approval: {},
  mustMatch: [{ arguments: { command: 'git push --force' } }],
  mustNotMatch: [{ arguments: { command: 'git status' } }],
  enabled: true,
  note: 'History stays.',
}
const config = async () => (await loadPolicy(database.db, workspace.workspaceId))!.config
const audits = () =>
  database.db.prisma.auditEvent.findMany({ where: { workspaceId: workspace.workspaceId }, orderBy: { number: 'asc' } })

test('each part is saved, changed and deleted, and the audit tells before and after', async () => {
  const { db } = database
  const saved = await savePolicySettings(db, { ...by(), settings })
  expect(saved).toMatchObject({ ok: true })
  const profile = { name: 'on-call', description: '', tools: ['k8s.*'], reads: ['group:email'] }
  expect(await saveProfile(db, { ...by(), profile })).toMatchObject({ ok: true, id: 'on-call' })
  const group = { name: 'crew', description: 'Ours', tools: ['k8s.*', 'group:git'] }
  expect(await saveGroup(db, { ...by(), group })).toMatchObject({ ok: true, id: 'crew' })
  const skill = { name: 'review', description: '', instructions: '', tools: [], toolGroups: ['fs'] }
  expect(await saveSkill(db, { ...by(), skill })).toMatchObject({ ok: true })
  const added = await saveRule(db, { ...by(), rule })
  if (!added.ok) throw new Error('expected the rule to be saved')
  expect(await config()).toMatchObject({
    ...settings,
    profiles: { 'on-call': { tools: ['k8s.*'], reads: ['group:email'] } },
    groups: { crew: { description: 'Ours', tools: ['k8s.*', 'group:git'] } },
    skills: { review: { toolGroups: ['fs'] } },
    rules: [{ id: added.id, name: rule.name, verdict: 'deny', conditions: rule.conditions, mustMatch: rule.mustMatch }],
  })

  const seen = { ...by(), expectedUpdatedAt: added.updatedAt }
  const changed = await saveRule(db, { ...seen, id: added.id, rule: { ...rule, decision: 'ask' } })
  if (!changed.ok) throw new Error('expected the rule to be changed')
  expect((await config()).rules).toMatchObject([{ verdict: 'ask' }])
  expect(
    await deletePolicyPart(db, { ...by(), expectedUpdatedAt: changed.updatedAt, kind: 'rule', key: added.id }),
  ).toMatchObject({ ok: true })
  expect((await config()).rules).toEqual([])

  const log = await audits()
  expect(log.map((event) => event.action)).toEqual([
    'policy.settings-add',
    'policy.profile-add',
    'policy.group-add',
    'policy.skill-add',
    'policy.rule-add',
    'policy.rule-change',
    'policy.rule-delete',
  ])
  expect(log[5]).toMatchObject({
    actorId: workspace.members.admin,
    data: { before: { decision: 'deny' }, after: { decision: 'ask' } },
  })
  expect(await verifyAudit(db, workspace.workspaceId)).toMatchObject({ ok: true })
})

test('new rules come after the others', async () => {
  for (const name of ['b', 'a', 'c']) await saveRule(database.db, { ...by(), rule: { ...rule, name } })
  expect((await config()).rules.map(({ name }) => name)).toEqual(['b', 'a', 'c'])
})

describe('two people at once', () => {
  test('whoever saw an older state overwrites nothing, and learns the newer one', async () => {
    const { db } = database
    const first = await savePolicySettings(db, { ...by(), settings })
    if (!first.ok) throw new Error('expected the settings to be saved')
    const save = (profile: string, expectedUpdatedAt: Date | null) =>
      savePolicySettings(db, { ...by(), expectedUpdatedAt, settings: { ...settings, profile } })
    const second = await save('full', first.updatedAt)
    if (!second.ok) throw new Error('expected the settings to be changed')
    const stale = { ok: false, reason: 'changed', updatedAt: second.updatedAt }
    expect(await save('minimal', first.updatedAt)).toEqual(stale)
    expect(await save('minimal', null)).toEqual(stale)
    expect((await config()).profile).toBe('full')
    expect(await audits()).toHaveLength(2)
  })

  test('of twenty who save the same state, one wins, also within a millisecond', async () => {
    const { db } = database
    let expectedUpdatedAt: Date | null = null
    for (let round = 0; round < 3; round++) {
      const results = await raceBehind(
        db,
        { sql: 'SELECT 1 FROM workspaces WHERE id = $1 FOR UPDATE', id: workspace.workspaceId, waiting: 10 },
        () =>
          race(10, (index) =>
            savePolicySettings(db, { ...by(), expectedUpdatedAt, settings: { ...settings, deny: [`by ${index}`] } }),
          ),
      )
      const winners = results.filter((result) => result.ok)
      expect(winners).toHaveLength(1)
      for (const result of results) if (!result.ok) expect(result.reason).toBe('changed')
      expectedUpdatedAt = winners[0]!.updatedAt
    }
    expect(await audits()).toHaveLength(3)
  })

  test('of two new rules of one name, one is taken', async () => {
    const results = await race(5, () => saveRule(database.db, { ...by(), rule }))
    expect(results.filter((result) => result.ok)).toHaveLength(1)
    for (const result of results) if (!result.ok) expect(result.reason).toBe('name_taken')
  })

  test('what was deleted meanwhile is not made anew', async () => {
    const { db } = database
    const profile = { name: 'p', description: '', tools: [], reads: [] }
    const saved = await saveProfile(db, { ...by(), profile })
    if (!saved.ok) throw new Error('expected the profile to be saved')
    const seen = { ...by(), expectedUpdatedAt: saved.updatedAt }
    await deletePolicyPart(db, { ...seen, kind: 'profile', key: 'p' })
    expect(await saveProfile(db, { ...seen, profile })).toEqual({ ok: false, reason: 'changed', updatedAt: null })
    expect(await deletePolicyPart(db, { ...by(), kind: 'profile', key: 'p' })).toEqual({
      ok: false,
      reason: 'not_found',
    })
  })
})

describe('what cannot be', () => {
  test.each([
    ['a condition that nobody knows', { conditions: [{ path: 'command', matches: 'x' }] }],
    ['a condition that compares with nothing', { conditions: [{ path: 'command', equals: undefined }] }],
    ['a pattern with a character that would be stored as another', { pattern: 'file.\0*' }],
    ['an example that is no call', { mustMatch: ['ls'] }],
    ['more approvals than a question can ask for', { approval: { required: 21 } }],
    ['an escalation to nobody', { approval: { onExpiry: 'escalate' } }],
    ['a word that nobody knows', { decisions: 'allow' }],
  ])('%s is refused, and nothing is written', async (_what, wrong) => {
    const before = await policyRevision(database.db, workspace.workspaceId)
    const result = await saveRule(database.db, { ...by(), rule: { ...rule, ...wrong } as RulePart })
    expect(result).toMatchObject({ ok: false, reason: 'invalid', problems: [expect.any(String)] })
    expect(await policyRevision(database.db, workspace.workspaceId)).toBe(before)
    expect(await audits()).toEqual([])
  })

  test('the name of a built-in profile cannot be taken', async () => {
    const save = (name: string) =>
      saveProfile(database.db, { ...by(), profile: { name, description: '', tools: ['*'], reads: [] } })
    expect(await save('minimal')).toMatchObject({ ok: false, reason: 'invalid' })
    expect(await save('minimal-2')).toMatchObject({ ok: true })
  })

  test('the whole policy is looked at as it would be; where that is refused, nothing stays', async () => {
    const { db } = database
    const before = await policyRevision(db, workspace.workspaceId)
    const seen: string[] = []
    const check = (policy: NonNullable<Awaited<ReturnType<typeof loadPolicy>>>) => {
      seen.push(...policy.config.rules.map(({ name }) => name))
      return ['The example "git status" matches, and must not.']
    }
    expect(await saveRule(db, { ...by(), rule, check })).toEqual({
      ok: false,
      reason: 'invalid',
      problems: ['The example "git status" matches, and must not.'],
    })
    expect(seen).toEqual([rule.name])
    expect((await config()).rules).toEqual([])
    expect(await policyRevision(db, workspace.workspaceId)).toBe(before)
    expect(await saveRule(db, { ...by(), rule, check: () => [] })).toMatchObject({ ok: true })
  })

  test('broken parts can be set right one after the other', async () => {
    const { db } = database
    const ids: { id: string; updatedAt: Date }[] = []
    for (const name of ['a', 'b']) {
      const saved = await saveRule(db, { ...by(), rule: { ...rule, name } })
      if (saved.ok) ids.push(saved)
    }
    await db.pool.query(`UPDATE rules SET conditions = '7' WHERE workspace_id = $1`, [workspace.workspaceId])
    await expect(config()).rejects.toThrow(/The rule "a"/)
    for (const [index, { id, updatedAt: expectedUpdatedAt }] of ids.entries())
      expect(
        await saveRule(db, { ...by(), expectedUpdatedAt, id, rule: { ...rule, name: 'ab'[index]! }, check: () => [] }),
      ).toMatchObject({ ok: true })
    expect((await config()).rules).toHaveLength(2)
  })

  test('a rule of another workspace is not found, changed or deleted', async () => {
    const { db } = database
    const other = await createTestWorkspace(db)
    const saved = await saveRule(db, { ...by(), workspaceId: other.workspaceId, rule })
    if (!saved.ok) throw new Error('expected the rule to be saved')
    const seen = { ...by(), expectedUpdatedAt: saved.updatedAt }
    const elsewhere = { ok: false, reason: 'changed', updatedAt: null }
    expect(await saveRule(db, { ...seen, id: saved.id, rule })).toEqual(elsewhere)
    expect(await deletePolicyPart(db, { ...seen, kind: 'rule', key: saved.id })).toEqual(elsewhere)
    expect(await saveRule(db, { ...by(), id: saved.id, rule })).toEqual({ ok: false, reason: 'not_found' })
    expect((await loadPolicy(db, other.workspaceId))?.config.rules).toHaveLength(1)
    expect(await saveRule(db, { ...by(), id: 'rul_\0', rule })).toEqual({ ok: false, reason: 'not_found' })
    expect(await saveRule(db, { ...by(), workspaceId: 'ws_none', rule })).toEqual({ ok: false, reason: 'not_found' })
  })
})
