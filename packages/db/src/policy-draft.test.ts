import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { verifyAudit } from './audit.ts'
import { projectRoot } from './environment.ts'
import { newId } from './ids.ts'
import { loadPolicy, policyRevision } from './policy.ts'
import { type DraftRule, type PolicyContent, readPolicyContent } from './policy-content.ts'
import { discardPolicyDraft, editPolicyDraft, readPolicyDraft, rebasePolicyDraft } from './policy-draft.ts'
import { publishPolicyDraft } from './publish-policy.ts'
import { deletePolicyPart, saveGroup, savePolicySettings, saveProfile, saveRule } from './save-policy.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, race, type TestWorkspace } from './testing-workspace.ts'

const database = useTestDatabase()
const migration = readFileSync(
  join(projectRoot, 'prisma/migrations/20261119224228_groups_and_reads/migration.sql'),
  'utf8',
)
let workspace: TestWorkspace
let workspaceId: string

beforeEach(async () => {
  workspace = await createTestWorkspace(database.db)
  workspaceId = workspace.workspaceId
})

const by = (expectedUpdatedAt: Date | null = null) => ({
  workspaceId,
  actor: { kind: 'member', id: workspace.members.admin } as const,
  expectedUpdatedAt,
})
const settings = { profile: 'coding', allow: [], deny: ['browser.*'], providers: {}, hooks: [], approval: {} }
const rule = (name: string, more: Partial<DraftRule> = {}): DraftRule => ({
  id: newId('rul'),
  name,
  pattern: 'shell.exec',
  conditions: [{ path: 'command', command: 'git push*' }],
  decision: 'ask',
  approval: {},
  mustMatch: [],
  mustNotMatch: [],
  enabled: true,
  note: '',
  ...more,
})
const live = async () => (await readPolicyContent(database.db, workspaceId))!.content
const draft = () => readPolicyDraft(database.db, workspaceId)
const edit = async (work: (content: PolicyContent) => void) => {
  const seen = (await draft())?.updatedAt ?? null
  const result = await editPolicyDraft(database.db, {
    ...by(seen),
    edit: (content) => {
      work(content)
      return content
    },
  })
  if (!result.ok) throw new Error(`the edit was refused: ${JSON.stringify(result)}`)
  return result.updatedAt
}
const deny = (pattern: string) => (content: PolicyContent) => void content.settings.deny.push(pattern)
const actions = async () =>
  (await database.db.prisma.auditEvent.findMany({ where: { workspaceId }, orderBy: { number: 'asc' } })).map(
    ({ action }) => action,
  )
const times = async () => {
  const rows = await database.db.pool.query(
    `SELECT name, updated_at FROM profiles WHERE workspace_id = $1 UNION ALL
     SELECT name, updated_at FROM rules WHERE workspace_id = $1 UNION ALL
     SELECT 'settings', updated_at FROM policy_settings WHERE workspace_id = $1`,
    [workspaceId],
  )
  return Object.fromEntries(rows.rows.map((row) => [row.name, row.updated_at.getTime()]))
}

describe('a draft', () => {
  test('begins as the live policy, keeps each edit, and changes nothing that is live', async () => {
    await savePolicySettings(database.db, { ...by(), settings })
    const revision = await policyRevision(database.db, workspaceId)
    await edit(deny('mail.*'))
    await edit((content) => content.rules.push(rule('Pushes ask')))
    expect(await draft()).toMatchObject({
      baseRevision: revision,
      base: { settings: { deny: ['browser.*'] }, rules: [] },
      content: { settings: { profile: 'coding', deny: ['browser.*', 'mail.*'] }, rules: [{ name: 'Pushes ask' }] },
      updatedBy: { id: workspace.members.admin, name: 'The admin' },
    })
    expect(await live()).toMatchObject({ settings: { deny: ['browser.*'] }, rules: [] })
    expect(await policyRevision(database.db, workspaceId)).toBe(revision)
    expect(await actions()).toEqual(['policy.settings-add', 'policy.draft-edit', 'policy.draft-edit'])
  })

  test('that is edited back to what is live is none any more', async () => {
    await edit(deny('mail.*'))
    expect(await edit((content) => void content.settings.deny.pop())).toBeNull()
    expect(await draft()).toBeNull()
  })

  test('is discarded by whoever saw all of it, and begun anew with another time', async () => {
    const first = await edit(deny('a.b'))
    const second = await edit(deny('c.d'))
    expect(await discardPolicyDraft(database.db, by(first))).toMatchObject({ ok: false, reason: 'changed' })
    expect(await discardPolicyDraft(database.db, by(second))).toEqual({ ok: true, updatedAt: null })
    expect(await discardPolicyDraft(database.db, by(second))).toEqual({ ok: false, reason: 'not_found' })
    expect((await edit(deny('a.b')))!.getTime()).not.toBe(first!.getTime())
  })

  test('of ten who edit the same state one wins, and the others learn who it was', async () => {
    const seen = await edit(deny('a.b'))
    const results = await race(10, (index) =>
      editPolicyDraft(database.db, {
        ...by(seen),
        edit: (content) => ({ ...content, settings: { ...content.settings, deny: [`by.${index}`] } }),
      }),
    )
    expect(results.filter(({ ok }) => ok)).toHaveLength(1)
    for (const result of results)
      if (!result.ok) expect(result).toMatchObject({ reason: 'changed', draft: { updatedBy: 'The admin' } })
  })

  test('takes no edit with a new problem, and one beside a problem that was there', async () => {
    const check = (policy: { config: { deny: string[] } }) =>
      policy.config.deny.filter((pattern) => pattern.startsWith('bad')).map((pattern) => `${pattern}: is bad`)
    const add = (pattern: string, seen: Date | null) =>
      editPolicyDraft(database.db, {
        ...by(seen),
        check,
        edit: (content) => {
          content.settings.deny.push(pattern)
          return content
        },
      })
    expect(await add('bad.one', null)).toEqual({ ok: false, reason: 'invalid', problems: ['bad.one: is bad'] })
    expect(await draft()).toBeNull()
    const seen = await edit(deny('bad.two'))
    expect(await add('good.one', seen)).toMatchObject({ ok: true })
  })

  test.each([
    ['two rules of one name', (content: PolicyContent) => content.rules.push(rule('a'), rule('a'))],
    [
      'a profile with a built-in name',
      (c: PolicyContent) => c.profiles.push({ name: 'full', description: '', tools: [], reads: [] }),
    ],
    [
      'a rule with a condition that nobody knows',
      (c: PolicyContent) => c.rules.push(rule('a', { conditions: [{} as never] })),
    ],
  ])('refuses %s', async (_what, work) => {
    const result = await editPolicyDraft(database.db, {
      ...by(),
      edit: (content) => {
        work(content)
        return content
      },
    })
    expect(result).toMatchObject({ ok: false, reason: 'invalid' })
    expect(await draft()).toBeNull()
    expect(await actions()).toEqual([])
  })

  test('belongs to its workspace: another one neither sees nor publishes it', async () => {
    const seen = await edit(deny('a.b'))
    const other = await createTestWorkspace(database.db)
    expect(await readPolicyDraft(database.db, other.workspaceId)).toBeNull()
    const theirs = { ...by(seen), workspaceId: other.workspaceId }
    expect(await publishPolicyDraft(database.db, theirs)).toMatchObject({ ok: false, reason: 'changed', draft: null })
    expect(await discardPolicyDraft(database.db, theirs)).toEqual({ ok: false, reason: 'not_found' })
    expect(await draft()).not.toBeNull()
    expect(await editPolicyDraft(database.db, { ...by(), workspaceId: 'none', edit: (c) => c })).toEqual({
      ok: false,
      reason: 'not_found',
    })
  })
})

describe('a group', () => {
  const crew = { name: 'crew', description: '', tools: ['k8s.*'] }
  const drop = async (seen: Date | null) =>
    editPolicyDraft(database.db, { ...by(seen), edit: (content) => ({ ...content, groups: [] }) })

  test('is made, changed and deleted with the rest', async () => {
    const first = await edit((content) => content.groups.push(crew))
    expect(await publishPolicyDraft(database.db, by(first))).toMatchObject({
      ok: true,
      changes: [{ kind: 'group', key: 'crew' }],
    })
    expect((await loadPolicy(database.db, workspaceId))?.config.groups).toEqual({
      crew: { description: '', tools: ['k8s.*'] },
    })
    const second = await edit((content) => {
      content.groups = [{ ...crew, tools: ['k8s.*', 'pager.*'] }]
    })
    expect(await publishPolicyDraft(database.db, by(second))).toMatchObject({ ok: true })
    expect((await live()).groups).toEqual([{ ...crew, tools: ['k8s.*', 'pager.*'] }])
    const third = await drop(null)
    expect(await publishPolicyDraft(database.db, by(third.ok ? third.updatedAt : null))).toMatchObject({ ok: true })
    expect((await live()).groups).toEqual([])
  })

  test.each<[string, (content: PolicyContent) => void, string]>([
    ['the workspace', deny('group:crew'), 'workspace’s deny'],
    [
      'a profile',
      (c) => c.profiles.push({ name: 'p', description: '', tools: [], reads: ['group:crew'] }),
      'profile p',
    ],
    [
      'a provider',
      (c) => Object.assign(c.settings.providers, { ollama: { allow: ['group:crew'] } }),
      'provider ollama',
    ],
    [
      'a skill, without the word',
      (c) => c.skills.push({ name: 's', description: '', instructions: '', tools: [], toolGroups: ['crew'] }),
      'skill s',
    ],
    ['a hook', (c) => c.settings.hooks.push({ pattern: 'group:crew', hook: 'log' }), 'hook of group:crew'],
    [
      'a rule that is switched off',
      (c) => c.rules.push(rule('R', { pattern: 'group:crew', enabled: false, conditions: [] })),
      'rule R',
    ],
  ])('that is named by %s is not deleted, and the place is told', async (_who, use, place) => {
    const seen = await edit((content) => {
      content.groups.push(crew)
      use(content)
    })
    expect(await drop(seen)).toEqual({
      ok: false,
      reason: 'invalid',
      problems: [`groups.crew: is still named by the ${place}; take it out of there first`],
    })
    expect((await draft())?.content.groups).toEqual([crew])
  })

  test('that an agent came to name while its deletion was prepared is not deleted either', async () => {
    await saveGroup(database.db, { ...by(), group: crew })
    const dropped = await drop(null)
    await database.db.pool.query(
      `INSERT INTO agent_versions (id, workspace_id, agent_id, number, published_at, tools_deny)
       VALUES ($1, $2, $3, 2, now(), '{group:crew}')`,
      [newId('ver'), workspaceId, workspace.agentId],
    )
    const published = await publishPolicyDraft(database.db, by(dropped.ok ? dropped.updatedAt : null))
    const problems = [`groups.crew: is still named by the agent ${workspace.agentId}; take it out of there first`]
    expect(published).toEqual({ ok: false, reason: 'invalid', problems })
    expect((await live()).groups).toEqual([crew])
    const row = await database.db.prisma.toolGroup.findFirstOrThrow({ where: { workspaceId } })
    const deleting = { ...by(row.updatedAt), kind: 'group', key: 'crew' } as const
    expect(await deletePolicyPart(database.db, deleting)).toEqual({ ok: false, reason: 'invalid', problems })
    expect((await live()).groups).toEqual([crew])
  })

  test('has a name that a pattern can have', async () => {
    for (const name of ['', 'Two words', 'a:b', 'x*', '-x'])
      await expect(edit((content) => content.groups.push({ ...crew, name }))).rejects.toThrow('refused')
    expect(await draft()).toBeNull()
  })
})

test('a draft of a time without groups is read as one that has none', async () => {
  await saveProfile(database.db, { ...by(), profile: { name: 'p', description: '', tools: ['a.*'], reads: [] } })
  await edit(deny('a.b'))
  const before = await draft()
  // As it was written then.
  await database.db.pool.query(
    `UPDATE policy_drafts SET base = (base - 'groups') #- '{profiles,0,reads}', content = (content - 'groups') #- '{profiles,0,reads}'`,
  )
  await database.db.pool.query(migration.slice(migration.indexOf('UPDATE "policy_drafts"')))
  expect(await draft()).toEqual(before)
})

describe('publishing', () => {
  test('makes all parts live at once, with one audit event, and leaves the times of the others', async () => {
    await savePolicySettings(database.db, { ...by(), settings })
    await saveProfile(database.db, {
      ...by(),
      profile: { name: 'kept', description: '', tools: ['file.*'], reads: [] },
    })
    await saveProfile(database.db, { ...by(), profile: { name: 'going', description: '', tools: [], reads: [] } })
    for (const name of ['one', 'two', 'three']) {
      const { id: _, ...part } = rule(name)
      await saveRule(database.db, { ...by(), rule: part })
    }
    const before = await times()
    const seen = await edit((content) => {
      content.profiles = content.profiles.filter(({ name }) => name !== 'going')
      content.skills.push({ name: 'notes', description: '', instructions: '', tools: [], toolGroups: ['fs'] })
      const [one, two, three] = content.rules as [DraftRule, DraftRule, DraftRule]
      // Moved, renamed into each other's names, and a new one between.
      content.rules = [three, rule('four'), { ...two, name: 'one' }, { ...one, name: 'two' }]
    })
    const result = await publishPolicyDraft(database.db, by(seen))
    expect(result).toMatchObject({ ok: true })
    expect(await live()).toMatchObject({
      settings,
      profiles: [{ name: 'kept' }],
      skills: [{ name: 'notes' }],
      rules: [{ name: 'three' }, { name: 'four' }, { name: 'one' }, { name: 'two' }],
    })
    expect(await draft()).toBeNull()
    const after = await times()
    for (const name of ['settings', 'kept', 'three']) expect([name, after[name]]).toEqual([name, before[name]])
    const log = await database.db.prisma.auditEvent.findMany({ where: { workspaceId }, orderBy: { number: 'asc' } })
    expect(log.at(-1)).toMatchObject({ action: 'policy.publish', actorId: workspace.members.admin })
    expect(JSON.stringify(log.at(-1)?.data)).toContain('four')
    expect(await verifyAudit(database.db, workspaceId)).toMatchObject({ ok: true })
  })

  test('moves the revision, which is how a bot learns of it', async () => {
    const seen = await edit(deny('a.b'))
    const before = await policyRevision(database.db, workspaceId)
    await publishPolicyDraft(database.db, by(seen))
    expect(await policyRevision(database.db, workspaceId)).toBeGreaterThan(before)
    expect((await loadPolicy(database.db, workspaceId))?.config.deny).toEqual(['a.b'])
  })

  test('of ten at once one does', async () => {
    const seen = await edit(deny('a.b'))
    const results = await race(10, () => publishPolicyDraft(database.db, by(seen)))
    expect(results.filter(({ ok }) => ok)).toHaveLength(1)
    expect((await actions()).filter((action) => action === 'policy.publish')).toHaveLength(1)
  })

  test('is refused where somebody edited the draft meanwhile', async () => {
    const seen = await edit(deny('a.b'))
    await edit(deny('c.d'))
    expect(await publishPolicyDraft(database.db, by(seen))).toMatchObject({ ok: false, reason: 'changed' })
    expect((await live()).settings.deny).toEqual([])
  })

  test('is refused with what others made live meanwhile, and goes through once that is taken over', async () => {
    await savePolicySettings(database.db, { ...by(), settings })
    const seen = await edit((content) => {
      content.settings.deny = ['mail.*']
      content.settings.profile = 'minimal'
    })
    const { id: _, ...part } = rule('Theirs')
    await saveRule(database.db, { ...by(), rule: part })
    const { rows } = await database.db.pool.query('SELECT updated_at FROM policy_settings WHERE workspace_id = $1', [
      workspaceId,
    ])
    await savePolicySettings(database.db, {
      ...by(rows[0].updated_at),
      settings: { ...settings, profile: 'full', deny: ['browser.*', 'k8s.*'] },
    })
    const refused = await publishPolicyDraft(database.db, by(seen))
    expect(refused).toMatchObject({ ok: false, reason: 'live_changed' })
    if (refused.ok || refused.reason !== 'live_changed') throw new Error('expected it to be refused')
    expect(refused.changes.map(({ kind, key }) => `${kind} ${key}`)).toEqual([
      'setting profile',
      'setting deny',
      expect.stringMatching(/^rule /),
    ])

    const rebased = await rebasePolicyDraft(database.db, by(seen))
    expect(rebased).toMatchObject({ ok: true, conflicts: [{ kind: 'setting', key: 'profile' }] })
    const updatedAt = rebased.ok ? rebased.updatedAt : null
    expect(await publishPolicyDraft(database.db, by(updatedAt))).toMatchObject({ ok: true })
    expect(await live()).toMatchObject({
      settings: { profile: 'minimal', deny: ['k8s.*', 'mail.*'] },
      rules: [{ name: 'Theirs' }],
    })
  })

  test('is not held up by an agent that was published meanwhile', async () => {
    const seen = await edit(deny('a.b'))
    await database.db.pool.query(
      'INSERT INTO agent_versions (id, workspace_id, agent_id, number, published_at) VALUES ($1, $2, $3, 2, now())',
      [newId('ver'), workspaceId, workspace.agentId],
    )
    expect(await publishPolicyDraft(database.db, by(seen))).toMatchObject({ ok: true })
  })

  test('changes nothing where the whole does not pass its check', async () => {
    const seen = await edit((content) => {
      content.settings.deny.push('a.b')
      content.rules.push(rule('new'))
    })
    const before = await policyRevision(database.db, workspaceId)
    const check = () => ['rules[0]: does not match {}, and must']
    const result = await publishPolicyDraft(database.db, { ...by(seen), check })
    expect(result).toEqual({ ok: false, reason: 'invalid', problems: check() })
    expect(await live()).toMatchObject({ settings: { deny: [] }, rules: [] })
    expect(await policyRevision(database.db, workspaceId)).toBe(before)
    expect((await draft())?.updatedAt).toEqual(seen)
  })

  test('never takes another workspace’s rule, whatever id the draft names', async () => {
    const other = await createTestWorkspace(database.db)
    const { id: _, ...part } = rule('Theirs')
    const theirs = await saveRule(database.db, {
      workspaceId: other.workspaceId,
      actor: { kind: 'member', id: other.members.admin },
      expectedUpdatedAt: null,
      rule: part,
    })
    if (!theirs.ok) throw new Error('expected the rule to be saved')
    const seen = await edit((content) => content.rules.push(rule('Stolen', { id: theirs.id })))
    expect(await publishPolicyDraft(database.db, by(seen))).toEqual({ ok: false, reason: 'not_found' })
    expect((await readPolicyContent(database.db, other.workspaceId))?.content.rules).toMatchObject([{ name: 'Theirs' }])
  })
})
