'use server'

import { z } from 'zod'
import { adminAction } from '../admin-action.ts'
import { checkEdit } from '../check-edit.ts'
import { data } from '../data.ts'
import { runtime } from '../runtime.ts'
import { describeRefusal } from './describe-refusal.ts'

const jsonText = z
  .string()
  .max(200_000)
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      context.addIssue({ code: 'custom', message: 'This is not JSON.' })
      return z.NEVER
    }
  })

/** What became of it, for a person whose card goes away with it. */
function describeCounted(
  { verdict, edited }: { verdict: 'approve' | 'deny'; edited?: true },
  { value, lease }: { value?: unknown; lease?: boolean },
): string {
  if (value !== undefined) return 'Answered.'
  if (verdict === 'deny') return 'Denied.'
  if (edited) return 'Approved, with your arguments.'
  return lease ? 'Approved, and the next ones like it in this thread.' : 'Approved.'
}

/** An answer to a question. Who may answer is the question's own rule, asked where the answer is counted. */
export const answerCard = adminAction({
  needs: 'member',
  shape: z.object({
    questionId: z.string().min(1).max(100),
    verdict: z.enum(['approve', 'deny']),
    value: jsonText.optional(),
    reason: z.string().trim().max(2_000, 'Expected at most 2,000 characters.').optional(),
    argumentsDigest: z.string().max(200).optional(),
    lease: z.literal('1').optional(),
    editedArguments: jsonText.optional(),
  }),
  work: async ({ lease, editedArguments, argumentsDigest, reason, value, ...input }, { membership }) => {
    const given: Parameters<typeof data.answerQuestion>[1] = {
      ...input,
      memberId: membership.memberId,
      surface: 'web',
      ...(value === undefined ? {} : { value }),
      ...(reason ? { reason } : {}),
      ...(argumentsDigest ? { argumentsDigest } : {}),
      ...(lease ? { lease: true } : {}),
      ...(editedArguments === undefined ? {} : { editedArguments }),
    }
    const result = await data.answerQuestion(runtime().db, given, { checkEdit })
    if (!result.ok) return { ok: false, message: describeRefusal(result) }
    if (!result.closed) return `Counted. ${result.remaining} more must approve.`
    return describeCounted(result, given)
  },
})
