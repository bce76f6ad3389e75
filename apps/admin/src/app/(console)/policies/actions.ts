'use server'

import { z } from 'zod'
import { adminAction } from '../../../admin-action.ts'
import { data } from '../../../data.ts'
import { runtime } from '../../../runtime.ts'
import { describeRefusal, draftChange, nameAgents } from './edit-draft.ts'

const seen = z.string().max(40).default('')
const plural = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

export const publishDraft = adminAction({
  needs: 'admin',
  shape: z.object({ seen }),
  work: async ({ seen }, current) => {
    const result = await data.publishPolicyDraft(runtime().db, await draftChange(current, seen))
    if (result.ok) return `Published: ${plural(result.changes.length, 'change')}. It holds from the next call on.`
    if (result.reason !== 'live_changed') return describeRefusal(await nameAgents(result, current))
    return {
      ok: false,
      message: `The live policy was changed meanwhile (${plural(result.changes.length, 'part')}). Nothing was published. “Take over what is live” puts this draft’s changes on top of it.`,
    }
  },
})

export const rebaseDraft = adminAction({
  needs: 'admin',
  shape: z.object({ seen }),
  work: async ({ seen }, current) => {
    const result = await data.rebasePolicyDraft(runtime().db, await draftChange(current, seen))
    if (!result.ok) return describeRefusal(await nameAgents(result, current))
    if (!result.updatedAt) return 'All of it is live already, so there is no draft any more.'
    const { length } = result.conflicts
    return length
      ? `Taken over. ${plural(length, 'part')} had been changed in both: the draft’s stand, and are among the changes below.`
      : 'Taken over. The draft’s changes are on top of what is live now.'
  },
})

export const discardDraft = adminAction({
  needs: 'admin',
  shape: z.object({ seen }),
  work: async ({ seen }, current) => {
    const result = await data.discardPolicyDraft(runtime().db, await draftChange(current, seen))
    return result.ok ? 'Discarded. The live policy stands as it was.' : describeRefusal(result)
  },
})
