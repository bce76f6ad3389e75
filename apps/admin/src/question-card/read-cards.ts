// The cards of questions as a page needs them: packages/db says what a card shows, this makes plain data of it.
import type { QuestionCard } from '@quartermaster/db'
import { data } from '../data.ts'
import { describeArguments } from '../describe-arguments.ts'
import { runtime } from '../runtime.ts'
import { toolKit } from '../tool-kit.ts'
import type { CardView } from './view.ts'

export interface FoundCard {
  runId: string
  toolCallId: string | null
  conversationId: string
  agent: string
  /** Who asked for the work; null where nobody in particular did. */
  requester: string | null
  askedAt: Date
  /** Who may answer, in words; also of a question that is over. */
  whoMayAnswer: string
  escalatedAt: Date | null
  /** What was said to it, in that order. */
  answers: GivenAnswer[]
  card: CardView
}

export interface GivenAnswer {
  by: string
  verdict: 'approve' | 'deny'
  value: string
  reason: string | null
  /** Where it was said: `slack`, `telegram`, `web`. */
  surface: string
  at: Date
}

interface Viewer {
  workspaceId: string
  memberId: string
}

/** Every question of these runs as this member meets it, in the order in which they were asked. */
export async function readCards({ workspaceId, memberId }: Viewer, runIds: readonly string[]): Promise<FoundCard[]> {
  if (!runIds.length) return []
  const cards = await data.readQuestionCards(runtime().db, { workspaceId, memberId, runIds })
  return cards.map(findingOf)
}

/** These questions, the newest first. */
export async function readCardsOf(
  { workspaceId, memberId }: Viewer,
  questionIds: readonly string[],
): Promise<FoundCard[]> {
  if (!questionIds.length) return []
  const cards = await data.readQuestionCards(runtime().db, { workspaceId, memberId, questionIds })
  return cards.map(findingOf).reverse()
}

const findingOf = (card: QuestionCard): FoundCard => ({
  runId: card.runId,
  toolCallId: card.toolCallId,
  conversationId: card.conversationId,
  agent: card.agent.name,
  requester: card.requester?.name ?? null,
  askedAt: card.askedAt,
  whoMayAnswer: card.whoMayAnswer,
  escalatedAt: card.escalatedAt,
  answers: card.answers.map(({ name, verdict, value, reason, surface, at }) => ({
    by: name,
    verdict,
    value: data.describeValue(value),
    reason,
    surface,
    at,
  })),
  card: renderCard(card),
})

/** How a card says that it does not say all (packages/tools/src/executor/summarize-call.ts). */
const isCut = /… \([\d,]+ characters in all\)$|^\d+ more arguments$/

function renderCard(card: QuestionCard): CardView {
  const editable = card.mayEdit && !card.closed && card.mayAnswer === true
  return {
    id: card.id,
    kind: card.kind,
    title: card.title,
    body: card.body,
    tool: card.tool,
    facts: card.recipients.length
      ? [...card.facts, { label: 'Reaches', value: card.recipients.join(', ') }]
      : card.facts,
    diff: card.diff,
    options: card.options,
    tabs: card.tabs.map(({ title, question, options = [], multiple = false }) => ({
      title,
      question,
      options,
      multiple,
    })),
    argumentsText: card.arguments === null || card.arguments === undefined ? null : describeArguments(card.arguments),
    arguments: editable ? card.arguments : null,
    digest: card.argumentsDigest,
    isCut: card.facts.some(({ value }) => isCut.test(value)),
    schema: editable && card.tool ? schemaOf(card.tool) : null,
    why: card.why,
    whoMayAnswer: card.whoMayAnswer,
    mayAnswer: card.mayAnswer === true && !card.hasAnswered,
    hasAnswered: card.hasAnswered,
    lease: card.lease && data.describeLease(card.lease),
    mayEdit: card.mayEdit,
    mayDecline: card.buttons.includes('decline'),
    approvals: card.approvals,
    expiresAt: card.expiresAt.toISOString(),
    closed: card.closed && {
      status: card.closed.status,
      verdict: card.closed.verdict,
      sentence: card.closed.sentence,
      at: card.closed.at.toISOString(),
    },
  }
}

/** The builtin tools are code: their schemas are read once. */
let schemas: ReadonlyMap<string, unknown> | null = null
function schemaOf(tool: string): unknown {
  schemas ??= new Map(toolKit.describeBuiltinTools().map(({ name, inputSchema }) => [name, inputSchema]))
  return schemas.get(tool) ?? null
}
