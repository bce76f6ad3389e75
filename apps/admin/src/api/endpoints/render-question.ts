// A question as the API shows it: what its card shows everywhere else.
import type { QuestionCard } from '@quartermaster/db'
import { z } from 'zod'
import { data } from '../../data.ts'
import { iso, isoOrNull, jsonShape, namedShape, timeShape } from '../shapes.ts'

const kinds = ['confirmation', 'choice', 'multi_choice', 'text', 'form', 'plan', 'budget'] as const
const verdicts = ['approve', 'deny'] as const

export const questionShape = z
  .strictObject({
    id: z.string(),
    kind: z.enum(kinds),
    status: z.enum(['open', 'answered', 'expired', 'withdrawn']),
    title: z.string(),
    body: z.string().nullable(),
    tool: z.string().nullable(),
    effect: z.string().nullable(),
    arguments: jsonShape.describe('Of the call that it is about, exactly; null: it is about none.'),
    arguments_digest: z
      .string()
      .nullable()
      .describe('Send it back with the answer: it then counts for these arguments only.'),
    facts: z.array(z.strictObject({ label: z.string(), value: z.string() })),
    recipients: z.array(z.string()).describe('Whom or what it reaches.'),
    diff: z.strictObject({ path: z.string(), before: z.string(), after: z.string() }).nullable(),
    options: z.array(z.string()).describe('What can be chosen from.'),
    tabs: z
      .array(
        z.strictObject({
          title: z.string(),
          question: z.string(),
          options: z.array(z.string()),
          multiple: z.boolean(),
        }),
      )
      .describe('The pages of a form.'),
    why: z.array(z.string()).describe('Why it is asked.'),
    who_may_answer: z.string(),
    may_answer: z.boolean().describe('Whether the caller may, and has not yet.'),
    has_answered: z.boolean(),
    may_edit: z.boolean().describe('Whether it can be approved with other arguments.'),
    lease: z.string().nullable().describe('What “approve for this thread” would spare; null: it is not offered.'),
    approvals: z.strictObject({ given: z.int(), required: z.int() }),
    agent: namedShape,
    requester: namedShape.nullable(),
    run_id: z.string(),
    conversation_id: z.string(),
    execution_id: z.string().nullable(),
    asked_at: timeShape,
    expires_at: timeShape,
    escalated_at: timeShape.nullable(),
    answers: z.array(
      z.strictObject({
        member: namedShape,
        verdict: z.enum(verdicts),
        value: jsonShape,
        reason: z.string().nullable(),
        surface: z.string().describe('Where it was said: slack, telegram, web, api.'),
        at: timeShape,
      }),
    ),
    closed: z
      .strictObject({
        status: z.enum(['answered', 'expired', 'withdrawn']),
        verdict: z.enum(verdicts).nullable(),
        sentence: z.string(),
        at: timeShape,
      })
      .nullable()
      .describe('What became of it; null: it is open.'),
  })
  .meta({ id: 'Question' })

export const renderQuestion = (card: QuestionCard): z.input<typeof questionShape> => ({
  id: card.id,
  kind: card.kind,
  status: card.status,
  title: card.title,
  body: card.body,
  tool: card.tool,
  effect: card.effect,
  arguments: card.arguments ?? null,
  arguments_digest: card.argumentsDigest,
  facts: card.facts,
  recipients: card.recipients,
  diff: card.diff,
  options: card.options,
  tabs: card.tabs.map(({ title, question, options = [], multiple = false }) => ({
    title,
    question,
    options,
    multiple,
  })),
  why: card.why,
  who_may_answer: card.whoMayAnswer,
  may_answer: card.status === 'open' && card.mayAnswer === true && !card.hasAnswered,
  has_answered: card.hasAnswered,
  may_edit: card.mayEdit,
  lease: card.lease && data.describeLease(card.lease),
  approvals: card.approvals,
  agent: card.agent,
  requester: card.requester && { id: card.requester.memberId, name: card.requester.name },
  run_id: card.runId,
  conversation_id: card.conversationId,
  execution_id: card.toolCallId,
  asked_at: iso(card.askedAt),
  expires_at: iso(card.expiresAt),
  escalated_at: isoOrNull(card.escalatedAt),
  answers: card.answers.map(({ memberId, name, verdict, value, reason, surface, at }) => ({
    member: { id: memberId, name },
    verdict,
    value: value ?? null,
    reason,
    surface,
    at: iso(at),
  })),
  closed: card.closed && {
    status: card.closed.status,
    verdict: card.closed.verdict,
    sentence: card.closed.sentence,
    at: iso(card.closed.at),
  },
})
