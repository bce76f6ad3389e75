import {
  askQuestion,
  type ClaimedRun,
  claimRun,
  type Database,
  decideToolCall,
  finishToolCall,
  newId,
  openPlaygroundSession,
  parkRun,
  receivePlaygroundMessage,
  recordStep,
  requestToolCall,
  startToolCall,
} from '@quartermaster/db'

const message = 'Add the on-call rota of next week to the runbook and tell me what changed.'
const before = '# Runbook\n\n## On call\nMo–Fr: Jonas\n'
const after = '# Runbook\n\n## On call\nMo–We: Jonas\nTh–Fr: Priya (swap, see #platform)\n'

/** A conversation that shows what the page can: an answer, tool calls, and a card that waits. */
export async function makePlayground(db: Database, workspaceId: string, email: string): Promise<string> {
  const member = await db.prisma.member.findFirstOrThrow({ where: { workspaceId, email } })
  const agent = await db.prisma.agent.findFirstOrThrow({ where: { workspaceId, archivedAt: null } })
  const own = { workspaceId, memberId: member.id }
  const opened = await openPlaygroundSession(db, { ...own, agentId: agent.id })
  if (!opened) throw new Error('the session could not be opened')
  const { conversationId } = opened
  const content = [{ type: 'text', text: message }]
  const said = await receivePlaygroundMessage(db, { ...own, conversationId, eventId: 'one', content, title: message })
  const run = said?.outcome === 'received' ? await claimRun(db, { runId: said.runId, processId: 'pictures' }) : null
  if (!run) throw new Error('the message was not taken')
  await readRunbook(db, run)
  await askToWrite(db, run)
  await parkRun(db, run)
  return conversationId
}

async function call(db: Database, run: ClaimedRun, tool: string, input: object, text: string): Promise<string> {
  const toolUseId = newId('toolu')
  const asked = [
    { type: 'text', text },
    { type: 'tool_use', id: toolUseId, name: tool, input },
  ]
  await recordStep(db, run, { content: asked, use: { inputTokens: 900, outputTokens: 60, costMicros: 2_400 } })
  const requested = await requestToolCall(db, run, {
    step: 1,
    toolUseId,
    toolName: tool,
    toolVersion: 'v1',
    effect: tool.endsWith('read') ? 'read' : 'write',
    idempotent: false,
    arguments: input,
    argumentsDigest: 'picture',
  })
  if (!requested) throw new Error('the call was not recorded')
  return requested.id
}

async function readRunbook(db: Database, run: ClaimedRun): Promise<void> {
  const toolCallId = await call(db, run, 'vfs.read', { path: 'runbook.md' }, 'I look at the runbook first.')
  await decideToolCall(db, run, { toolCallId, decision: 'allow', trail: [] })
  await startToolCall(db, run, { toolCallId, argumentsDigest: 'picture' })
  await finishToolCall(db, run, { toolCallId, status: 'succeeded', output: before })
}

async function askToWrite(db: Database, run: ClaimedRun): Promise<void> {
  const text =
    'The rota changes on **Thursday**: Priya takes over from Jonas.\n\n| day | on call |\n| --- | --- |\n| Mo–We | Jonas |\n| Th–Fr | Priya |\n\nI put it into `runbook.md`.'
  const toolCallId = await call(db, run, 'vfs.write', { path: 'runbook.md', content: after }, text)
  await askQuestion(db, run, {
    toolCallId,
    kind: 'confirmation',
    prompt: {
      title: 'Change 2 lines of runbook.md',
      facts: [{ label: 'File', value: 'runbook.md' }],
      diff: { path: 'runbook.md', before, after },
      lease: { maxUses: 20, durationMs: 3_600_000 },
      mayEdit: true,
    },
    reasons: [{ verdict: 'ask', reason: 'Writing files asks in this workspace' }],
    approvers: { requester: true, roles: ['approver'] },
  })
}
