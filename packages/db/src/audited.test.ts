// A change and its audit event are one: with the log broken, nothing at all is changed. The same calls go through when
// the log is whole, so it is the log that stopped them.
import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { joinWithLogin } from './accept-invitation.ts'
import { admit } from './admit.ts'
import { discardDraft, saveDraft } from './agent-drafts.ts'
import { archiveAgent, createAgent, renameAgent, restoreAgent } from './agents.ts'
import { answerQuestion } from './answer-question.ts'
import { createApiKey, revokeApiKey } from './api-keys.ts'
import { type Actor, verifyAudit } from './audit.ts'
import { removeBinding, saveBinding } from './bindings.ts'
import { saveAdmission, setDefaultAgent } from './channel-settings.ts'
import { chooseAgent } from './choose-agent.ts'
import type { Database } from './client.ts'
import { requestStop } from './finish-run.ts'
import { forkRun } from './fork-run.ts'
import { newId } from './ids.ts'
import { deleteInstallation, saveInstallation } from './installations.ts'
import { createInvitation, renewInvitation, revokeInvitation } from './invitations.ts'
import { grantLease, revokeLease } from './leases.ts'
import { createLinkCode } from './link-codes.ts'
import { checkMasterKey, type MasterKeys, masterKeyOf } from './master-key.ts'
import { changeRole, disableMember, enableMember } from './members.ts'
import { openChannel } from './open-channel.ts'

import { ensureWebChannel } from './playground.ts'
import { discardPolicyDraft, editPolicyDraft, readPolicyDraft, rebasePolicyDraft } from './policy-draft.ts'
import { publishDraft, rollBack } from './publish-agent.ts'
import { publishPolicyDraft } from './publish-policy.ts'

import { askQuestion, expireQuestions, withdrawQuestions } from './questions.ts'
import { readAgent } from './read-agents.ts'
import { renameLogin } from './rename-login.ts'
import { rotateMasterKey } from './rotate-master-key.ts'
import { expireSecret } from './secret-history.ts'
import { createScope, deleteScope, describeScope, grantScope, revokeGrant } from './secret-scopes.ts'
import { retireSecret, storeSecret } from './secrets.ts'
import { endMemberSessions, endSession, revokeSession, startSession } from './sessions.ts'
import { setPassword } from './set-password.ts'
import { renameWorkspace, writeSettings } from './settings.ts'
import { openSession } from './sign-in.ts'
import { sendTestMessage } from './test-message.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, requestCall, say, startRun, type TestWorkspace } from './testing-workspace.ts'
import { unlinkIdentity } from './unlink-identity.ts'

const database = useTestDatabase()
const actor: Actor = { kind: 'system', id: 'test' }
const keys: MasterKeys = { current: masterKeyOf(randomBytes(32)), previous: null }
const loginId = newId('log')
let workspace: TestWorkspace
let workspaceId: string

beforeAll(async () => {
  const { db } = database
  workspace = await createTestWorkspace(db)
  workspaceId = workspace.workspaceId
  await checkMasterKey(db, keys)
  await db.pool.query(`INSERT INTO logins (id, email) VALUES ($1, $1 || '@example.com')`, [loginId])
  await db.pool.query(
    `INSERT INTO identities (id, workspace_id, member_id, kind, external_id, login_id) VALUES ($1, $2, $3, 'console', $4, $4)`,
    [newId('idn'), workspaceId, workspace.members.member, loginId],
  )
  await db.pool.query(
    `INSERT INTO channels (id, workspace_id, kind, name, external_id) VALUES ($1, $2, 'telegram', 'bot', '77')`,
    [channelId, workspaceId],
  )
})

const store = (db: Database, name: string) =>
  storeSecret(db, keys, { workspaceId, scope: 'scope', name, value: 'v', actor })
const grantOf = async (db: Database, name: string) => ({
  ...{ workspaceId, agentId: workspace.agentId },
  scopeId: await createScope(db, { workspaceId, name, description: '', actor }),
  actor: { kind: 'member', id: workspace.members.admin } as const,
})
const lease = async (db: Database) => {
  const { conversationId } = await startRun(db, workspace)
  const tool = { toolName: 't', toolVersion: 'v', scope: '', maxUses: 1, durationMs: 1_000 }
  return { workspaceId, conversationId, ...tool, grantedBy: workspace.members.owner }
}
const ask = async (db: Database, expiresInMs = 60_000) => {
  const run = await startRun(db, workspace)
  const toolCallId = await requestCall(db, run)
  const questionId = await askQuestion(db, run, { toolCallId, kind: 'confirmation', prompt: {}, expiresInMs })
  return { runId: run.runId, questionId: questionId! }
}
const session = async (db: Database) => {
  const token = await startSession(db, { loginId, userAgent: null })
  const { rows } = await db.pool.query('SELECT id FROM login_sessions WHERE login_id = $1', [loginId])
  return { token, sessionId: rows.at(-1).id }
}
const invite = (db: Database, email: string) =>
  createInvitation(db, {
    ...{ workspaceId, email, role: 'member' },
    actor: { kind: 'member', id: workspace.members.admin },
  })
const channelId = 'chn_telegram'
/** The draft as it is, for whoever saw it. */
const draftChange = async (db: Database) => {
  const draft = await readPolicyDraft(db, workspaceId)
  const editor: Actor = { kind: 'member', id: workspace.members.admin }
  return { workspaceId, actor: editor, expectedUpdatedAt: draft?.updatedAt ?? null }
}
const editDraft = async (db: Database, pattern: string) =>
  editPolicyDraft(db, {
    ...(await draftChange(db)),
    edit: (content) => ({ ...content, settings: { ...content.settings, deny: [pattern] } }),
  })
const place = () => ({ workspaceId, channelId, place: '-100', actor })
const agent = () => ({ workspaceId, agentId: workspace.agentId, actor })
const seen = async (db: Database) => (await readAgent(db, workspace))!.seen
const draft = async (db: Database, instructions: string) =>
  saveDraft(db, { ...agent(), change: { instructions }, seen: await seen(db), validate: () => [] })
const member = () => ({ workspaceId, memberId: workspace.members.viewer, actor })

/** Each prepares what it needs, and answers the change itself. */
const changes: Record<string, (db: Database) => Promise<() => Promise<unknown>>> = {
  storeSecret: async (db) => () => store(db, 'one'),
  'storeSecret again': async (db) => {
    await store(db, 'two')
    return () => store(db, 'two')
  },
  retireSecret: async (db) => {
    await store(db, 'three')
    return () => retireSecret(db, { workspaceId, name: 'three', actor })
  },
  createScope: async (db) => () => createScope(db, { workspaceId, name: 'new', description: '', actor }),
  describeScope: async (db) => {
    const scopeId = await createScope(db, { workspaceId, name: 'described', description: '', actor })
    return () => describeScope(db, { workspaceId, scopeId, description: 'what for', actor })
  },
  deleteScope: async (db) => {
    const scopeId = await createScope(db, { workspaceId, name: 'deleted', description: '', actor })
    return () => deleteScope(db, { workspaceId, scopeId, actor })
  },
  grantScope: async (db) => {
    const grant = await grantOf(db, 'granted')
    return () => grantScope(db, grant)
  },
  revokeGrant: async (db) => {
    const grant = await grantOf(db, 'revoked')
    await grantScope(db, grant)
    return () => revokeGrant(db, grant)
  },
  expireSecret: async (db) => {
    await store(db, 'expiring')
    const { id: secretId } = await db.prisma.secret.findFirstOrThrow({ where: { workspaceId, name: 'expiring' } })
    return () => expireSecret(db, { workspaceId, secretId, expiresAt: new Date(Date.now() + 60_000), actor })
  },
  changeRole: async (db) => () => changeRole(db, { ...member(), role: 'admin' }),
  disableMember: async (db) => () => disableMember(db, member()),
  enableMember: async (db) => () => enableMember(db, member()),
  renameLogin: async (db) => () => renameLogin(db, { loginId, name: 'Ada' }),
  setPassword: async (db) => () => setPassword(db, { loginId, password: 'a long enough password', actor: 'self' }),
  openSession: async (db) => () => openSession(db, { loginId, userAgent: null, data: {} }),
  endSession: async (db) => {
    const { token } = await session(db)
    return () => endSession(db, token)
  },
  revokeSession: async (db) => {
    const { sessionId } = await session(db)
    return () => revokeSession(db, { loginId, sessionId })
  },
  endMemberSessions: async (db) => {
    await session(db)
    return () => endMemberSessions(db, { workspaceId, memberId: workspace.members.member, actor })
  },
  createInvitation: async (db) => () => invite(db, 'one@example.com'),
  renewInvitation: async (db) => {
    const { id } = await invite(db, 'two@example.com')
    return () => renewInvitation(db, { workspaceId, invitationId: id, actor })
  },
  revokeInvitation: async (db) => {
    const { id } = await invite(db, 'three@example.com')
    return () => revokeInvitation(db, { workspaceId, invitationId: id, actor })
  },
  joinWithLogin: async (db) => {
    const { token } = await invite(db, 'four@example.com')
    await db.pool.query(`INSERT INTO logins (id, email) VALUES ('log_four', 'four@example.com')`)
    return () => joinWithLogin(db, { token, loginId: 'log_four' })
  },
  createApiKey: async (db) => () =>
    createApiKey(db, { workspaceId, memberId: workspace.members.admin, name: 'CI', scopes: [], actor }),
  revokeApiKey: async (db) => {
    const { id } = await createApiKey(db, {
      ...{ workspaceId, memberId: workspace.members.admin },
      ...{ name: 'CI', scopes: [], actor },
    })
    return () => revokeApiKey(db, { workspaceId, keyId: id, actor })
  },
  createAgent: async (db) => () => createAgent(db, { workspaceId, name: 'New', actor, validate: () => [] }),
  renameAgent: async (db) => () => renameAgent(db, { ...agent(), name: 'Renamed', description: '' }),
  saveDraft: async (db) => async () => draft(db, 'one'),
  discardDraft: async (db) => {
    await draft(db, 'two')
    return async () => discardDraft(db, { ...agent(), seen: await seen(db) })
  },
  publishDraft: async (db) => {
    await draft(db, 'three')
    return async () => publishDraft(db, { ...agent(), seen: await seen(db), note: '' })
  },
  rollBack: async (db) => async () => rollBack(db, { ...agent(), seen: await seen(db), note: '', to: 1 }),
  archiveAgent: async (db) => () => archiveAgent(db, { ...agent(), knownPlaces: [workspace.channelId] }),
  restoreAgent: async (db) => () => restoreAgent(db, agent()),
  grantLease: async (db) => {
    const grant = await lease(db)
    return () => grantLease(db, grant)
  },
  revokeLease: async (db) => {
    const leaseId = await grantLease(db, await lease(db))
    return () => revokeLease(db, { workspaceId, leaseId: leaseId!, actor })
  },
  answerQuestion: async (db) => {
    const { questionId } = await ask(db)
    const given = { questionId, memberId: workspace.members.owner, surface: 'web' }
    return () => answerQuestion(db, { ...given, verdict: 'approve' })
  },
  withdrawQuestions: async (db) => {
    const { runId } = await ask(db)
    return () => withdrawQuestions(db, { workspaceId, runId, reason: 'new\0message', actor })
  },
  expireQuestions: async (db) => {
    await ask(db, -1)
    return () => expireQuestions(db)
  },
  requestStop: async (db) => {
    const { runId } = await ask(db)
    return () => requestStop(db, { workspaceId, runId, actor })
  },
  forkRun: async (db) => {
    const { runId } = await say(db, workspace)
    await ensureWebChannel(db, workspaceId)
    return () => forkRun(db, { workspaceId, runId, memberId: workspace.members.owner })
  },
  writeSettings: async (db) => () => writeSettings(db, workspaceId, { questionExpiryHours: 7 }, actor),
  renameWorkspace: async (db) => () => renameWorkspace(db, workspaceId, 'Other', actor),
  openChannel: async (db) => () => openChannel(db, { kind: 'slack', externalId: 'T1', name: 'Acme' }),
  admit: async (db) => {
    const { id: channelId } = await openChannel(db, { kind: 'slack', externalId: 'T1', name: 'Acme' })
    return () => admit(db, { channelId, person: { externalId: 'T1:U1', name: 'Ada' } })
  },
  createLinkCode: async (db) => () => createLinkCode(db, { workspaceId, memberId: workspace.members.owner }),
  chooseAgent: async (db) => () =>
    chooseAgent(db, {
      ...{ channelId: workspace.channelId, place: 'p', conversationKey: null, agentId: workspace.agentId },
      memberId: workspace.members.owner,
    }),
  saveInstallation: async (db) => async () => {
    await saveInstallation(db, keys, { kind: 'slack', externalId: 'T1', data: {} })
    return true
  },
  deleteInstallation: async (db) => () => deleteInstallation(db, { kind: 'slack', externalId: 'T1' }),
  setDefaultAgent: async (db) => () =>
    setDefaultAgent(db, { workspaceId, channelId, agentId: workspace.agentId, actor }),
  saveAdmission: async (db) => () =>
    saveAdmission(db, { workspaceId, channelId, change: () => ({ team: false, allow: ['@ada_l'] }), actor }),
  saveBinding: async (db) => () => saveBinding(db, { ...place(), agentId: workspace.agentId }),
  removeBinding: async (db) => () => removeBinding(db, place()),
  sendTestMessage: async (db) => {
    await say(db, { ...workspace, channelId }, { conversationKey: '-100' })
    return () => sendTestMessage(db, { ...place(), text: 'a test' })
  },
  unlinkIdentity: async (db) => {
    const { viewer } = workspace.members
    await db.pool.query(
      `INSERT INTO identities (id, workspace_id, member_id, kind, external_id) VALUES ('idn_chat', $1, $2, 'telegram', '9')`,
      [workspaceId, viewer],
    )
    return () => unlinkIdentity(db, { workspaceId, memberId: viewer, identityId: 'idn_chat', actor })
  },
  editPolicyDraft: async (db) => async () => (await editDraft(db, 'a.b')).ok,
  rebasePolicyDraft: async (db) => {
    await editDraft(db, 'b.c')
    const change = await draftChange(db)
    return () => rebasePolicyDraft(db, change)
  },
  publishPolicyDraft: async (db) => {
    await editDraft(db, 'c.d')
    const change = await draftChange(db)
    return () => publishPolicyDraft(db, change)
  },
  discardPolicyDraft: async (db) => {
    await editDraft(db, 'd.e')
    const change = await draftChange(db)
    return () => discardPolicyDraft(db, change)
  },
  // The last one: the database belongs to another key afterwards.
  rotateMasterKey: async (db) => () =>
    rotateMasterKey(db, { current: masterKeyOf(randomBytes(32)), previous: keys.current }),
}

/** Every row of every table. */
async function everything(db: Database): Promise<Record<string, string>> {
  const { rows: tables } = await db.pool.query(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ('public', 'graphile_worker')`,
  )
  const rows: Record<string, string> = {}
  for (const { name } of tables) {
    const found = await db.pool.query(
      `SELECT coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '') AS text FROM ${name} t`,
    )
    rows[name] = found.rows[0].text
  }
  return rows
}

const breakLog = (db: Database) =>
  db.pool.query(`ALTER TABLE audit_events ADD CONSTRAINT log_is_broken CHECK (false) NOT VALID`)
const mendLog = (db: Database) => db.pool.query('ALTER TABLE audit_events DROP CONSTRAINT log_is_broken')

test.each(Object.entries(changes))('%s changes nothing that it cannot record', async (_name, prepare) => {
  const { db } = database
  const change = await prepare(db)
  const before = await everything(db)
  await breakLog(db)
  await expect(change()).rejects.toMatchObject({ constraint: 'log_is_broken' })
  await mendLog(db)
  expect(await everything(db)).toEqual(before)

  expect(await change()).toBeTruthy()
  const after = await everything(db)
  expect(after['public.audit_events']).not.toBe(before['public.audit_events'])
  expect(Object.keys(after).filter((table) => after[table] !== before[table]).length).toBeGreaterThan(2)
  expect(await verifyAudit(db, workspaceId)).toMatchObject({ ok: true })
})
