import { expect, test } from 'vitest'
import { forkRun } from './fork-run.ts'
import {
  finishRun,
  finishToolCall,
  grantLease,
  keepChatFile,
  readTaint,
  readTranscript,
  recordStep,
  startToolCall,
} from './index.ts'
import { appendMessage } from './messages.ts'
import { claim, createTestWorkspace, requestCall, say, type TestWorkspace, useTestDatabase } from './testing.ts'
import { decideToolCall } from './tool-calls.ts'

const database = useTestDatabase()
const use = { inputTokens: 1, outputTokens: 1, costMicros: 1 }

/**
 * Asked → step 1 with a call that read strangers' words → its result → step 2 with another such call → its result → the
 * last words. Answers the run's claim, ended.
 */
async function makeRun(workspace: TestWorkspace, { end = true } = {}) {
  const { db } = database
  const said = await say(db, workspace, { text: 'Look at the two pages' })
  const run = await claim(db, said.runId)
  let seen = said.messageNumber
  for (const step of [1, 2]) {
    const content = [{ type: 'tool_use', id: `use-${step}`, name: 'web_fetch', input: {} }]
    const recorded = await recordStep(db, run, { content, use, turn: { seen, stopReason: 'tool_use', contextStep: 0 } })
    if (!recorded) throw new Error('expected the step to be recorded')
    const toolCallId = await requestCall(db, run, {
      step,
      toolUseId: `use-${step}`,
      toolName: 'web.fetch',
      effect: 'read',
    })
    await decideToolCall(db, run, { toolCallId, decision: 'allow', trail: [] })
    await startToolCall(db, run, { toolCallId, argumentsDigest: 'digest-1' })
    await finishToolCall(db, run, {
      toolCallId,
      status: 'succeeded',
      output: `page ${step}`,
      taint: [`page-${step}.example`],
    })
    const results = [{ type: 'tool_result', tool_use_id: `use-${step}`, content: `page ${step}` }]
    seen = (await appendMessage(db, run, { role: 'tool', content: results })) as number
  }
  await recordStep(db, run, {
    content: [{ type: 'text', text: 'Both are fine.' }],
    use,
    turn: { seen, stopReason: 'end_turn', contextStep: 0 },
  })
  if (end) await finishRun(db, run, { status: 'succeeded', seenMessage: seen })
  return { ...run, said }
}

const rolesOf = async (conversationId: string) =>
  (await readTranscript(database.db, conversationId)).map(({ role }) => role).join(' ')

async function startedFork(workspace: TestWorkspace, runId: string, more: Partial<Parameters<typeof forkRun>[1]> = {}) {
  const { workspaceId, members } = workspace
  const forked = await forkRun(database.db, { workspaceId, runId, memberId: members.approver, ...more })
  if (!forked) throw new Error('expected a fork')
  return forked
}

test('running it again begins with what the run was asked, in a session of whoever did it, and changes nothing there', async () => {
  const { db } = database
  const workspace = await createTestWorkspace(db)
  const run = await makeRun(workspace)
  const before = await readTranscript(db, run.conversationId)
  const { conversationId, runId } = await startedFork(workspace, run.runId)
  const transcript = await readTranscript(db, conversationId)
  expect(transcript.map(({ role, content, runId }) => ({ role, content, runId }))).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Look at the two pages' }], runId: null },
  ])
  const conversation = await db.prisma.conversation.findUniqueOrThrow({ where: { id: conversationId } })
  expect(conversation).toMatchObject({
    agentId: workspace.agentId,
    openedBy: workspace.members.approver,
    forkedFrom: run.runId,
    nextMessage: 2,
    taint: [],
  })
  const again = await db.prisma.run.findUniqueOrThrow({ where: { id: runId as string } })
  expect(again).toMatchObject({ status: 'queued', requestedBy: workspace.members.approver, conversationId })
  expect(await readTranscript(db, run.conversationId)).toEqual(before)
  expect(await db.prisma.toolCall.count({ where: { conversationId } })).toBe(0)
  const audit = await db.prisma.auditEvent.findFirstOrThrow({ where: { action: 'run.repeat', subjectId: run.runId } })
  expect(audit).toMatchObject({ actorId: workspace.members.approver, data: { conversationId, runId } })
})

test('a fork has the transcript up to its step, before or after it, with the results of the tools', async () => {
  const workspace = await createTestWorkspace(database.db)
  const run = await makeRun(workspace)
  const cuts = [
    [{ step: 1, side: 'before' }, 'user'],
    [{ step: 1, side: 'after' }, 'user assistant tool'],
    [{ step: 2, side: 'before' }, 'user assistant tool'],
    [{ step: 2, side: 'after' }, 'user assistant tool assistant tool'],
    [{ step: 3, side: 'after' }, 'user assistant tool assistant tool assistant'],
  ] as const
  for (const [cut, roles] of cuts) {
    const fork = await startedFork(workspace, run.runId, { cut })
    expect(await rolesOf(fork.conversationId)).toBe(roles)
    // After the last words there is nothing to do until somebody speaks.
    expect(fork.runId === null).toBe(cut.step === 3)
  }
  const content = [{ type: 'text', text: 'And the third?' }]
  const spoken = await startedFork(workspace, run.runId, { cut: { step: 3, side: 'after' }, content })
  expect(await rolesOf(spoken.conversationId)).toBe('user assistant tool assistant tool assistant user')
  expect((await readTranscript(database.db, spoken.conversationId)).at(-1)).toMatchObject({
    content,
    runId: spoken.runId,
  })
})

test('a fork is tainted by what its transcript has of strangers, and by nothing that came later', async () => {
  const { db } = database
  const workspace = await createTestWorkspace(db)
  const run = await makeRun(workspace)
  const taintAfter = async (cut?: { step: number; side: 'before' | 'after' }) =>
    readTaint(db, (await startedFork(workspace, run.runId, cut ? { cut } : {})).conversationId)
  expect(await taintAfter()).toEqual([])
  expect(await taintAfter({ step: 2, side: 'before' })).toEqual(['page-1.example'])
  expect(await taintAfter({ step: 2, side: 'after' })).toEqual(['page-1.example', 'page-2.example'])
  // A later run of the conversation, and a fork of a fork: what was read before is in the transcript.
  const later = await say(db, workspace, { conversationKey: await keyOf(run.conversationId) })
  expect(await readTaint(db, (await startedFork(workspace, later.runId)).conversationId)).toHaveLength(2)
  const fork = await startedFork(workspace, run.runId, { cut: { step: 1, side: 'after' } })
  const again = await startedFork(workspace, fork.runId as string)
  expect(await rolesOf(again.conversationId)).toBe('user assistant tool')
  expect(await readTaint(db, again.conversationId)).toEqual(['page-1.example'])
})

const keyOf = async (id: string) =>
  (await database.db.prisma.conversation.findUniqueOrThrow({ where: { id } })).externalKey

test('a call that had no result gets one that says so, and is nobody’s to settle', async () => {
  const { db } = database
  const workspace = await createTestWorkspace(db)
  const run = await claim(db, (await say(db, workspace)).runId)
  const content = [
    { type: 'text', text: 'I restart it.' },
    { type: 'tool_use', id: 'use-open', name: 'shell_exec', input: {} },
  ]
  await recordStep(db, run, { content, use, turn: { seen: 1, stopReason: 'tool_use', contextStep: 0 } })
  await requestCall(db, run, { toolUseId: 'use-open' })
  const fork = await startedFork(workspace, run.runId, { cut: { step: 1, side: 'after' } })
  const transcript = await readTranscript(db, fork.conversationId)
  expect(transcript.map(({ role, runId }) => ({ role, runId }))).toEqual([
    { role: 'user', runId: null },
    { role: 'assistant', runId: null },
    { role: 'tool', runId: null },
  ])
  expect(transcript.at(-1)?.content).toMatchObject([{ type: 'tool_result', tool_use_id: 'use-open', is_error: true }])
  expect(await db.prisma.toolCall.count({ where: { conversationId: fork.conversationId } })).toBe(0)
})

test('no approval comes along; a recording that was sent does, and what was never fetched is said', async () => {
  const { db } = database
  const workspace = await createTestWorkspace(db)
  const run = await makeRun(workspace)
  const { conversationId } = run
  await grantLease(db, {
    workspaceId: workspace.workspaceId,
    conversationId,
    toolName: 'file.write',
    toolVersion: 'v1',
    scope: '',
    grantedBy: workspace.members.owner,
    maxUses: 5,
    durationMs: 3_600_000,
  })
  await db.pool.query(
    `UPDATE messages SET content = '[{"type":"reference","reference":{}},{"type":"text","text":"hi"}]' WHERE conversation_id = $1 AND number = 1`,
    [conversationId],
  )
  await keepChatFile(db, {
    conversationId,
    eventId: 'e',
    name: 'memo.ogg',
    mimeType: 'audio/ogg',
    content: Buffer.from('x'),
  })
  await db.pool.query(`UPDATE chat_files SET received_at = now() - interval '1 hour' WHERE conversation_id = $1`, [
    conversationId,
  ])
  const fork = await startedFork(workspace, run.runId)
  expect(await db.prisma.lease.count({ where: { conversationId: fork.conversationId } })).toBe(0)
  expect(await db.prisma.chatFile.findMany({ where: { conversationId: fork.conversationId } })).toMatchObject([
    { name: 'memo.ogg' },
  ])
  const [first] = await readTranscript(db, fork.conversationId)
  expect(first?.content).toEqual([
    { type: 'text', text: '[Something that was sent here and never read; it did not come along.]' },
    { type: 'text', text: 'hi' },
  ])
})

test('another workspace’s run, a stranger, a deleted conversation, an archived agent and a step that never was are refused', async () => {
  const { db } = database
  const [workspace, other] = [await createTestWorkspace(db), await createTestWorkspace(db)]
  const run = await makeRun(workspace)
  const own = { workspaceId: workspace.workspaceId, runId: run.runId, memberId: workspace.members.member }
  expect(await forkRun(db, { ...own, workspaceId: other.workspaceId, memberId: other.members.owner })).toBeNull()
  expect(await forkRun(db, { ...own, memberId: other.members.owner })).toBeNull()
  await expect(forkRun(db, { ...own, cut: { step: 9, side: 'after' } })).rejects.toThrow('This run has no step 9.')
  await db.pool.query('UPDATE agents SET archived_at = now() WHERE id = $1', [workspace.agentId])
  await expect(forkRun(db, own)).rejects.toThrow('is archived and answers no more')
  await db.pool.query('UPDATE agents SET archived_at = NULL WHERE id = $1', [workspace.agentId])
  await db.pool.query(`UPDATE conversations SET deleted_at = now(), title = '', opened_by = NULL WHERE id = $1`, [
    run.conversationId,
  ])
  await expect(forkRun(db, own)).rejects.toThrow('The conversation of this run was deleted.')
  expect(await db.prisma.conversation.count({ where: { forkedFrom: run.runId } })).toBe(0)
})
