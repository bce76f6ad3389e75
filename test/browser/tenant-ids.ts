// One of everything that a route asks for by its id, in any workspace: in somebody's own, where the route finds it, and in
// another one, where nobody may.
import {
  askQuestion,
  type Claim,
  claimDelivery,
  confirmDelivery,
  createVirtualFiles,
  type Database,
  enqueueDelivery,
  ensureWebChannel,
  masterKeyOf,
  newId,
  saveRule,
  storeSecret,
} from '@quartermaster/db'
import { masterKey } from './console.ts'
import { requestCall, startSession } from './playground-session.ts'

/** By the names that the REST API has for them. */
export interface TenantIds {
  workspaceId: string
  memberId: string
  agentId: string
  conversationId: string
  runId: string
  executionId: string
  questionId: string
  secretId: string
  toolId: string
  /** A file that the run sent. */
  fileId: string
  ruleId: string
  virtualFileId: string
}

/** The conversation is a session of this member's own. */
export async function makeTenantIds(
  db: Database,
  { workspaceId, memberId }: { workspaceId: string; memberId: string },
): Promise<TenantIds> {
  await ensureWebChannel(db, workspaceId)
  const { conversationId, runId, claim } = await startSession({ db, workspaceId }, { memberId })
  const { toolCallId } = await requestCall(db, claim, { tool: 'file.write', arguments: { path: 'a.txt' } })
  const questionId = await askQuestion(db, claim, {
    kind: 'choice',
    prompt: { title: 'Which drink?', options: ['tea', 'coffee'] },
    approvers: { roles: ['viewer'] },
  })
  if (!questionId) throw new Error('expected a question')
  const keys = { current: masterKeyOf(Buffer.from(masterKey, 'hex')), previous: null }
  const name = `token.${newId('x')}`
  const actor = { kind: 'member' as const, id: memberId }
  await storeSecret(db, keys, { workspaceId, scope: 'tests', name, value: 'canary value', actor })
  const secret = await db.prisma.secret.findFirstOrThrow({ where: { workspaceId, name } })
  const { agentId } = await db.prisma.conversation.findUniqueOrThrow({ where: { id: conversationId } })
  return {
    ...{ workspaceId, memberId, agentId, conversationId, runId, executionId: toolCallId, questionId },
    secretId: secret.id,
    toolId: await addTool(db, workspaceId),
    fileId: await sendFile(db, conversationId, claim),
    ruleId: await addRule(db, workspaceId),
    virtualFileId: await writeVirtualFile(db, { workspaceId, agentId }),
  }
}

/** A tool that the workspace brought. */
export async function addTool(db: Database, workspaceId: string, id = `mcp:own:${newId('t')}`): Promise<string> {
  await db.pool.query(
    `INSERT INTO tools (id, name, description, parameters_schema, handler_key, category)
     VALUES ($1, 'Own tool', 'Does what it does.', $2, $1, 'general')`,
    [id, JSON.stringify({ type: 'object', properties: { limit: { type: 'integer', maximum: 50 } } })],
  )
  await db.pool.query(
    `INSERT INTO tool_details (tool_id, workspace_id, source, effect, version, aliases)
     VALUES ($1, $2, 'mcp', 'read', 'v1', ARRAY[$1 || ':alias'])`,
    [id, workspaceId],
  )
  return id
}

async function sendFile(db: Database, conversationId: string, claim: Claim): Promise<string> {
  const payload = {
    kind: 'media',
    filename: 'a.txt',
    mimeType: 'text/plain',
    data: Buffer.from('hello').toString('base64'),
  }
  const queued = await enqueueDelivery(db, { conversationId, claim, kind: 'media', payload })
  const claimed = await claimDelivery(db, { processId: 'test', conversationId })
  if (!claimed || !queued) throw new Error('expected a delivery')
  await confirmDelivery(db, claimed, null)
  return queued.id
}

async function addRule(db: Database, workspaceId: string): Promise<string> {
  const rule = {
    ...{ name: `Rule ${newId('r')}`, pattern: 'file.write', conditions: [], decision: 'ask' as const, approval: {} },
    ...{ mustMatch: [], mustNotMatch: [], enabled: true, note: '' },
  }
  const change = { workspaceId, actor: { kind: 'system', id: 'test' } as const, expectedUpdatedAt: null }
  const saved = await saveRule(db, { ...change, rule })
  if (!saved.ok) throw new Error(`expected a rule: ${saved.reason}`)
  // The page has the rules of the draft, where there is one.
  await db.pool.query('DELETE FROM policy_drafts WHERE workspace_id = $1', [workspaceId])
  return saved.id
}

async function writeVirtualFile(db: Database, of: { workspaceId: string; agentId: string }): Promise<string> {
  const owner = { kind: 'agent', id: of.agentId } as const
  const path = `/${newId('f')}.txt`
  await createVirtualFiles(db).write({ workspaceId: of.workspaceId, owner }, path, Buffer.from('Which drink?'))
  return (await db.prisma.virtualFile.findFirstOrThrow({ where: { agentId: of.agentId, path } })).id
}
