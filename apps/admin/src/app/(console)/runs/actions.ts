'use server'

import { z } from 'zod'
import type { ActionResult } from '../../../action-result.ts'
import { adminAction } from '../../../admin-action.ts'
import { data } from '../../../data.ts'
import { runtime } from '../../../runtime.ts'

const id = z.string().min(1).max(100)

/** Whoever takes part in its conversation may, and approvers, admins and owners: as in the chat. */
export const endRun = adminAction({
  needs: 'member',
  shape: z.object({ runId: id }),
  work: async ({ runId }, { membership, actor }) => {
    const { db } = runtime()
    const { workspaceId, memberId } = membership
    if (!(await data.readRun(db, { workspaceId, runId }))) return { ok: false, message: 'There is no such run.' }
    if (!(await data.mayStopRun(db, { workspaceId, runId, memberId })))
      return { ok: false, message: 'Only who takes part in its conversation may stop it, and approvers.' }
    const stopped = await data.requestStop(db, { workspaceId, runId, actor })
    if (stopped === 'finished') return 'It had ended already.'
    return stopped === 'stopped' ? 'Stopped.' : 'It stops.'
  },
})

const text = z.string().trim().max(100_000, 'A message has at most 100,000 characters.').optional()

/** The same request again, in a playground session of one's own. */
export const repeatRun = adminAction({
  needs: 'member',
  shape: z.object({ runId: id }),
  work: ({ runId }, { membership }) => forkTo(membership, { runId }),
})

/** What the run came to by a step, as the beginning of a playground session of one's own. */
export const forkFromStep = adminAction({
  needs: 'member',
  shape: z.object({
    runId: id,
    step: z.coerce.number('Expected the number of a step.').int().min(1, 'Steps begin with 1.').max(100_000),
    side: z.enum(['before', 'after'], 'Choose whether it begins before or after the step.'),
    text,
  }),
  work: ({ runId, step, side, text }, { membership }) =>
    forkTo(membership, {
      runId,
      cut: { step, side },
      ...(text ? { content: [{ type: 'text', text }] } : {}),
    }),
})

async function forkTo(
  { workspaceId, memberId }: { workspaceId: string; memberId: string },
  fork: Omit<Parameters<typeof data.forkRun>[1], 'workspaceId' | 'memberId'>,
): Promise<ActionResult> {
  const forked = await data.forkRun(runtime().db, { workspaceId, memberId, ...fork })
  if (!forked) return { ok: false, message: 'There is no such run.' }
  const message = forked.runId ? 'It is at work in a session of your own.' : 'A session of your own begins here.'
  return { ok: true, message, once: { sessionId: forked.conversationId } }
}
