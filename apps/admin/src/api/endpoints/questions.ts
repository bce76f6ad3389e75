import type { AnswerResult } from '@quartermaster/db'
import { z } from 'zod'
import { checkEdit } from '../../check-edit.ts'
import { data } from '../../data.ts'
import { describeRefusal } from '../../question-card/describe-refusal.ts'
import { followQuestions } from '../../question-card/follow-questions.ts'
import { listClosedQuestions } from '../../question-card/list-closed-questions.ts'
import { runtime } from '../../runtime.ts'
import { ApiError, type ApiErrorCode } from '../api-error.ts'
import { endpoint } from '../endpoint.ts'
import type { Caller } from '../require-caller.ts'
import { idShape, jsonShape, nextShape, notFound, pageQuery, readAfter, writeAfter } from '../shapes.ts'
import { questionShape, renderQuestion } from './render-question.ts'

const access = { area: 'Questions', role: 'viewer', scope: 'questions' } as const
const questionParams = { questionId: idShape.describe('The question’s id.') }

export const listQuestions = endpoint({
  ...access,
  method: 'GET',
  path: '/api/questions',
  summary: 'List questions',
  description: 'The newest first.',
  query: z.strictObject({
    show: z
      .enum(['mine', 'open', 'history'])
      .default('open')
      .describe('Those that wait for the caller, all that are open, or those that are over.'),
    ...pageQuery,
  }),
  answer: {
    status: 200,
    description: 'A page of questions.',
    schema: z.strictObject({ questions: z.array(questionShape), next: nextShape }),
  },
  work: async ({ caller, query: { show, limit, after } }) => {
    const { workspaceId, memberId } = caller
    const { db } = runtime()
    const key = readAfter(after)
    if (show === 'history') {
      const { ids, next } = await listClosedQuestions(workspaceId, { after: key, limit })
      return { questions: await readQuestions(caller, ids), next }
    }
    const { questions, next } = await data.listOpenQuestions(db, {
      workspaceId,
      limit,
      ...(show === 'mine' ? { memberId } : {}),
      ...(key ? { after: { askedAt: key.at, id: key.id } } : {}),
    })
    return {
      questions: await readQuestions(
        caller,
        questions.map(({ id }) => id),
      ),
      next: next && writeAfter({ at: next.askedAt, id: next.id }),
    }
  },
})

async function readQuestions({ workspaceId, memberId }: Caller, questionIds: string[]) {
  if (!questionIds.length) return []
  const cards = await data.readQuestionCards(runtime().db, { workspaceId, memberId, questionIds })
  return cards.map(renderQuestion).reverse()
}

export const getQuestion = endpoint({
  ...access,
  method: 'GET',
  path: '/api/questions/{questionId}',
  summary: 'Get a question',
  params: z.strictObject(questionParams),
  answer: { status: 200, description: 'The question, as the caller meets it.', schema: questionShape },
  work: async ({ caller: { workspaceId, memberId }, params: { questionId } }) => {
    const card = await data.readQuestionCard(runtime().db, { workspaceId, memberId, questionId })
    if (!card) throw notFound('question')
    return renderQuestion(card)
  },
})

export const answerQuestion = endpoint({
  ...access,
  role: 'member',
  method: 'POST',
  path: '/api/questions/{questionId}/answer',
  summary: 'Answer a question',
  description:
    'As the member of the key or session: who may answer is the question’s own rule, the same as in the chat and the console. An answer that does not count consumes nothing.',
  params: z.strictObject(questionParams),
  body: z.strictObject({
    verdict: z.enum(['approve', 'deny']).describe('`deny` where it is not a yes or no: no answer is given.'),
    value: jsonShape.optional().describe('What is chosen or written: an option, several, a text, one entry a tab.'),
    reason: z.string().trim().max(2_000).optional().describe('Of a denial; the agent reads it.'),
    arguments_digest: z.string().max(200).optional().describe('Of the question as it was read.'),
    lease: z.boolean().optional().describe('“Approve for this thread”, where it is offered.'),
    edited_arguments: jsonShape.optional().describe('Approves the call with these arguments instead.'),
  }),
  answer: {
    status: 200,
    description: 'It counts.',
    schema: z.strictObject({
      verdict: z.enum(['approve', 'deny']),
      closed: z.boolean().describe('Whether that was the last answer that it needed.'),
      remaining: z.int().describe('How many more must approve.'),
    }),
  },
  errors: {
    VALIDATION_ERROR: 'The value is none of the options, or the edit or the lease is not offered or not valid.',
    FORBIDDEN: 'The caller is none of those who may answer.',
    CONFLICT: 'It is closed, the caller has answered already, or what would run has changed.',
  },
  work: async ({ caller, params: { questionId }, body }) => {
    const { value, reason, lease, arguments_digest: argumentsDigest, edited_arguments: editedArguments } = body
    const result = await data.answerQuestion(
      runtime().db,
      {
        questionId,
        memberId: caller.memberId,
        verdict: body.verdict,
        surface: caller.by === 'key' ? 'api' : 'web',
        ...(value === undefined ? {} : { value }),
        ...(reason ? { reason } : {}),
        ...(argumentsDigest ? { argumentsDigest } : {}),
        ...(lease ? { lease } : {}),
        ...(editedArguments === undefined ? {} : { editedArguments }),
      },
      { checkEdit },
    )
    if (!result.ok) throw refusalOf(result)
    const { verdict, closed, remaining } = result
    return { verdict, closed, remaining }
  },
})

const codes: Record<Extract<AnswerResult, { ok: false }>['reason'], ApiErrorCode> = {
  'not-found': 'NOT_FOUND',
  'not-entitled': 'FORBIDDEN',
  'not-offered': 'VALIDATION_ERROR',
  'invalid-edit': 'VALIDATION_ERROR',
  closed: 'CONFLICT',
  expired: 'CONFLICT',
  changed: 'CONFLICT',
  'already-answered': 'CONFLICT',
}

const refusalOf = (refused: Extract<AnswerResult, { ok: false }>) =>
  new ApiError(codes[refused.reason], describeRefusal(refused))

export const followQuestionsOf = endpoint({
  ...access,
  method: 'GET',
  path: '/api/questions/events',
  summary: 'Be told when questions may have changed',
  answer: {
    status: 200,
    description: 'Server-sent events; `changed` says to read anew, `waiting` how many questions wait for the caller.',
    otherTypes: { 'text/event-stream': 'Events until the caller leaves, or may not read any more.' },
  },
  work: async ({ caller, request, isStillAllowed }) => followQuestions(caller, request.signal, isStillAllowed),
})
