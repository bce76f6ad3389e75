// What the database itself refuses about people, agents and secrets, and about references between workspaces, whoever
// writes. The rules about runs are in run-invariants.test.ts, the last owner's in members.test.ts.
import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from './ids.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, type TestWorkspace } from './testing-workspace.ts'

const database = useTestDatabase()
let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
})

const sql = async (text: string, ...values: unknown[]) => (await database.db.pool.query(text, values)).rows
const refused = (constraint: string) => expect.objectContaining({ constraint })

describe('people', () => {
  test('e-mails are stored in lower case, so that one address is one login and one member', async () => {
    const login = (email: string) => sql('INSERT INTO logins (id, email) VALUES ($1, $2)', newId('log'), email)
    await expect(login('Ada@example.com')).rejects.toEqual(refused('logins_email_lower'))
    await login('ada@example.com')
    await expect(login('ada@example.com')).rejects.toEqual(refused('logins_email_key'))
    const member = (email: string) =>
      sql('UPDATE members SET email = $2 WHERE id = $1', workspace.members.viewer, email)
    await expect(member('Ada@example.com')).rejects.toEqual(refused('members_email_lower'))
    await member('ada@example.com')
  })

  test('a console identity has a login, and no other has', async () => {
    const loginId = newId('log')
    await sql(`INSERT INTO logins (id, email) VALUES ($1, $1 || '@example.com')`, loginId)
    const identify = (kind: string, login: string | null) =>
      sql(
        `INSERT INTO identities (id, workspace_id, member_id, kind, external_id, login_id)
         VALUES ($1, $2, $3, $4::identity_kind, $1, $5)`,
        newId('idn'),
        workspace.workspaceId,
        workspace.members.member,
        kind,
        login,
      )
    await expect(identify('console', null)).rejects.toEqual(refused('identities_console_has_login'))
    await expect(identify('slack', loginId)).rejects.toEqual(refused('identities_console_has_login'))
    await identify('console', loginId)
    await identify('slack', null)
  })
})

describe('chat', () => {
  test('a link code is not kept for longer than an hour, and a member has one', async () => {
    const { workspaceId, members } = workspace
    const insert = (memberId: string, until: string) =>
      sql(
        `INSERT INTO link_codes (code_hash, workspace_id, member_id, expires_at) VALUES ($1, $2, $3, now() + $4::interval)`,
        Buffer.from(newId('code')),
        workspaceId,
        memberId,
        until,
      )
    await expect(insert(members.owner, '2 hours')).rejects.toEqual(refused('link_codes_short'))
    await insert(members.owner, '10 minutes')
    await expect(insert(members.owner, '10 minutes')).rejects.toEqual(refused('link_codes_member_id_key'))
  })
})

describe('agents', () => {
  let next = 2
  const insert = (publishedAt: Date | null, publishedBy: string | null = null) =>
    sql(
      `INSERT INTO agent_versions (id, workspace_id, agent_id, number, published_at, published_by) VALUES ($1, $2, $3, $4, $5, $6)`,
      newId('ver'),
      workspace.workspaceId,
      workspace.agentId,
      next++,
      publishedAt,
      publishedBy,
    )

  test('an agent has one draft, and a draft has no publisher', async () => {
    await expect(insert(null, workspace.members.owner)).rejects.toEqual(refused('agent_versions_published_by'))
    await insert(null)
    await expect(insert(null)).rejects.toEqual(refused('agent_versions_one_draft'))
    await insert(new Date(), workspace.members.owner)
  })

  test('a published version never changes, and a draft may until it is published', async () => {
    const update = (condition: string, columns: string) =>
      sql(`UPDATE agent_versions SET ${columns} WHERE agent_id = $1 AND ${condition}`, workspace.agentId)
    await expect(update('number = 1', `instructions = 'other'`)).rejects.toEqual(refused('agent_versions_frozen'))
    await expect(update('number = 1', 'published_at = NULL')).rejects.toEqual(refused('agent_versions_frozen'))
    await update('published_at IS NULL', `instructions = 'draft'`)
    await update('published_at IS NULL', 'published_at = now()')
    await expect(update(`instructions = 'draft'`, `note = 'late'`)).rejects.toEqual(refused('agent_versions_frozen'))
  })
})

test('a secret has one current version', async () => {
  const [scopeId, secretId] = [newId('scp'), newId('sec')]
  const { workspaceId } = workspace
  await sql('INSERT INTO secret_scopes (id, workspace_id, name) VALUES ($1, $2, $1)', scopeId, workspaceId)
  await sql(
    'INSERT INTO secrets (id, workspace_id, scope_id, name) VALUES ($1, $2, $3, $1)',
    secretId,
    workspaceId,
    scopeId,
  )
  const insert = (version: number) =>
    sql(
      `INSERT INTO secret_versions (secret_id, version, workspace_id, key_id, wrapped_key, ciphertext) VALUES ($1, $2, $3, 'k', '', '')`,
      secretId,
      version,
      workspaceId,
    )
  await insert(1)
  await expect(insert(2)).rejects.toEqual(refused('secret_versions_one_current'))
  await sql('UPDATE secret_versions SET retired_at = now() WHERE secret_id = $1', secretId)
  await insert(2)
})

describe('tenants', () => {
  test('every reference from one row of a workspace to another names the workspace, with the known exceptions', async () => {
    const loose = await sql(
      `SELECT c.conname AS name FROM pg_constraint c
       WHERE c.contype = 'f' AND c.confrelid <> 'workspaces'::regclass
         AND EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.conrelid AND a.attname = 'workspace_id')
         AND EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.confrelid AND a.attname = 'workspace_id')
         AND NOT EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) AND a.attname = 'workspace_id')
       ORDER BY 1`,
    )
    // prisma/schema/schema.prisma says why.
    expect(loose.map(({ name }) => name)).toEqual([
      'questions_tool_call_id_fkey',
      'tool_usage_pending_tool_call_id_fkey',
    ])
  })

  test('every table belongs to a workspace, but for the ones that are the installation’s own', async () => {
    const shared = await sql(
      `SELECT tablename AS name FROM pg_tables t WHERE schemaname = 'public' AND NOT EXISTS (
         SELECT 1 FROM information_schema.columns c WHERE c.table_schema = 'public' AND c.table_name = t.tablename
           AND c.column_name = 'workspace_id') ORDER BY 1`,
    )
    expect(shared.map((row) => row.name)).toEqual([
      '_prisma_migrations',
      'agent_tools',
      'attempts',
      'instance_facts',
      'login_accounts',
      'login_sessions',
      'logins',
      'processes',
      'tools',
      'workspaces',
    ])
  })

  test('a run works with a version of its own agent and with no other agent’s, in no workspace', async () => {
    const other = await createTestWorkspace(database.db)
    const versionOf = async (agentId: string) =>
      (await sql('SELECT id FROM agent_versions WHERE agent_id = $1 AND number = 1', agentId))[0]?.id
    const sibling = newId('agent')
    await sql(
      'INSERT INTO agents (id, workspace_id, slug, name) VALUES ($1, $2, $1, $1)',
      sibling,
      workspace.workspaceId,
    )
    await sql(
      'INSERT INTO agent_versions (id, workspace_id, agent_id, number) VALUES ($1, $2, $3, 1)',
      newId('ver'),
      workspace.workspaceId,
      sibling,
    )
    const conversationId = newId('cnv')
    await sql(
      'INSERT INTO conversations (id, workspace_id, channel_id, agent_id, external_key) VALUES ($1, $2, $3, $4, $1)',
      conversationId,
      workspace.workspaceId,
      workspace.channelId,
      workspace.agentId,
    )
    const run = (versionId: string | null) =>
      sql(
        `INSERT INTO runs (id, workspace_id, conversation_id, agent_id, agent_version_id, trigger) VALUES ($1, $2, $3, $4, $5, 'api')`,
        newId('run'),
        workspace.workspaceId,
        conversationId,
        workspace.agentId,
        versionId,
      )
    for (const agentId of [other.agentId, sibling])
      await expect(run(await versionOf(agentId))).rejects.toEqual(
        refused('runs_workspace_id_agent_id_agent_version_id_fkey'),
      )
    await run(await versionOf(workspace.agentId))
  })
})
