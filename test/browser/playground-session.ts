// A session of the playground as a bot leaves it in the database: what the page shows must not need a bot to be alive.
import {
  askQuestion,
  type Claim,
  claimRun,
  type Database,
  newId,
  openPlaygroundSession,
  receivePlaygroundMessage,
  recordStep,
  requestToolCall,
} from '@quartermaster/db'
import type { ConsoleUnderTest } from './console.ts'
import type { Person } from './people.ts'

export interface OwnSession {
  conversationId: string
  runId: string
  questionId: string
  claim: Claim
}

const use = { inputTokens: 10, outputTokens: 10, costMicros: 10 }

/** The member's session, with one message and its run in the hands of a bot. */
export async function startSession(
  it: Pick<ConsoleUnderTest, 'db' | 'workspaceId'>,
  person: Pick<Person, 'memberId'>,
  text = 'hello',
): Promise<Omit<OwnSession, 'questionId'>> {
  const { db, workspaceId } = it
  const { id: agentId } = await db.prisma.agent.findFirstOrThrow({ where: { workspaceId, archivedAt: null } })
  const opened = await openPlaygroundSession(db, { workspaceId, memberId: person.memberId, agentId })
  if (!opened) throw new Error('expected a session')
  const received = await sayAs(db, workspaceId, person, opened.conversationId, text)
  return { conversationId: opened.conversationId, runId: received.runId, claim: await hold(db, received.runId) }
}

export async function sayAs(
  db: Database,
  workspaceId: string,
  { memberId }: Pick<Person, 'memberId'>,
  conversationId: string,
  text: string,
) {
  const content = [{ type: 'text', text }]
  const message = { workspaceId, memberId, conversationId, eventId: newId('event'), content, title: text }
  const received = await receivePlaygroundMessage(db, message)
  if (received?.outcome !== 'received') throw new Error(`expected the message to be taken: ${received?.outcome}`)
  return received
}

export async function hold(db: Database, runId: string): Promise<Claim> {
  const claim = await claimRun(db, { runId, processId: 'test-bot' })
  if (!claim) throw new Error('expected the run to be free')
  return claim
}

/** What the model answers: text, and tools that it asks for. */
export function answer(db: Database, claim: Claim, ...content: unknown[]) {
  return recordStep(db, claim, { content, use })
}

/** A call that the model asks for, as the bot records it. */
export async function requestCall(
  db: Database,
  claim: Claim,
  call: { tool: string; arguments: unknown; text?: string },
): Promise<{ toolCallId: string; toolUseId: string }> {
  const toolUseId = newId('toolu')
  const asked = { type: 'tool_use', id: toolUseId, name: call.tool.replaceAll('.', '-'), input: call.arguments }
  await answer(db, claim, ...(call.text ? [{ type: 'text', text: call.text }] : []), asked)
  const requested = await requestToolCall(db, claim, {
    step: 1,
    toolUseId,
    toolName: call.tool,
    toolVersion: 'v1',
    effect: 'write',
    idempotent: false,
    arguments: call.arguments,
    argumentsDigest: `digest of ${JSON.stringify(call.arguments)}`,
  })
  if (!requested) throw new Error('expected the call to be recorded')
  return { toolCallId: requested.id, toolUseId }
}

/** A session with an open question that everybody may answer. */
export async function makeSession(
  it: Pick<ConsoleUnderTest, 'db' | 'workspaceId'>,
  person: Pick<Person, 'memberId'>,
): Promise<OwnSession> {
  const session = await startSession(it, person)
  const questionId = await askQuestion(it.db, session.claim, {
    kind: 'choice',
    prompt: { title: 'Which drink?', options: ['tea', 'coffee'] },
    approvers: { roles: ['viewer'] },
  })
  if (!questionId) throw new Error('expected a question')
  return { ...session, questionId }
}
