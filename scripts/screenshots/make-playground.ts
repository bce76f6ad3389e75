import {
  askQuestion,
  type ClaimedRun,
  claimRun,
  type Database,
  decideToolCall,
  finishRun,
  finishToolCall,
  newId,
  openPlaygroundSession,
  parkRun,
  receivePlaygroundMessage,
  recordStep,
  requestToolCall,
  startToolCall,
} from '@quartermaster/db'

const use = { inputTokens: 900, outputTokens: 60, costMicros: 2_400 }
const message = 'Add the on-call rota of next week to the runbook and tell me what changed.'
const before = '# Runbook\n\n## On call\nMo–Fr: Jonas\n'
const after = '# Runbook\n\n## On call\nMo–We: Jonas\nTh–Fr: Priya (swap, see #platform)\n'

/** What people read, as the bot puts it into the registry; the demo's own tools have no such names. */
const titles = { 'vfs.read': 'Read a virtual file', 'vfs.write': 'Write a virtual file' }

/** The sessions of the pictures, by the name of the picture. */
export async function makePlayground(db: Database, workspaceId: string, email: string) {
  for (const [tool, title] of Object.entries(titles))
    await db.pool.query('UPDATE tools SET name = $2 WHERE handler_key = $1', [tool, title])
  const open = async (text: string) => openSession(db, workspaceId, email, text)
  const form = await open('Prepare the release notes.')
  await askForm(db, form.run)
  await parkRun(db, form.run)
  const failed = await open('Sum up the incident of yesterday.')
  await recordStep(db, failed.run, { content: [{ type: 'text', text: 'I look for the incident first.' }], use })
  await finishRun(db, failed.run, {
    status: 'failed',
    seenMessage: 1,
    error: { code: 'model_unavailable', message: 'The model did not answer.' },
    notice: 'The model did not answer, though it was tried 6 times. Write again to go on.',
  })
  const rota = await open(message)
  await readRunbook(db, rota.run)
  await askToWrite(db, rota.run)
  await parkRun(db, rota.run)
  return { playground: rota.id, 'playground-form': form.id, 'playground-failed': failed.id }
}

async function openSession(db: Database, workspaceId: string, email: string, text: string) {
  const member = await db.prisma.member.findFirstOrThrow({ where: { workspaceId, email } })
  const agent = await db.prisma.agent.findFirstOrThrow({ where: { workspaceId, archivedAt: null } })
  const own = { workspaceId, memberId: member.id }
  const opened = await openPlaygroundSession(db, { ...own, agentId: agent.id })
  if (!opened) throw new Error('the session could not be opened')
  const { conversationId } = opened
  const content = [{ type: 'text', text }]
  const said = await receivePlaygroundMessage(db, { ...own, conversationId, eventId: 'one', content, title: text })
  const run = said?.outcome === 'received' ? await claimRun(db, { runId: said.runId, processId: 'pictures' }) : null
  if (!run) throw new Error('the message was not taken')
  return { id: conversationId, run }
}

async function askForm(db: Database, run: ClaimedRun): Promise<void> {
  await recordStep(db, run, { content: [{ type: 'text', text: 'I need three things from you.' }], use })
  const tabs = [
    { title: 'Audience', question: 'Who reads them?', options: ['Customers', 'The team', 'Both'] },
    {
      title: 'Parts',
      question: 'What belongs in?',
      options: ['Features', 'Fixes', 'Breaking changes'],
      multiple: true,
    },
    { title: 'Tone', question: 'Anything about the tone?' },
  ]
  await askQuestion(db, run, {
    kind: 'form',
    prompt: { title: 'Three questions about the release notes', tabs },
    approvers: { requester: true },
  })
}

async function call(db: Database, run: ClaimedRun, tool: string, input: object, text: string): Promise<string> {
  const toolUseId = newId('toolu')
  const asked = [
    { type: 'text', text },
    { type: 'tool_use', id: toolUseId, name: tool, input },
  ]
  await recordStep(db, run, { content: asked, use })
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
