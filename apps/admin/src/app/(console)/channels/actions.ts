'use server'

import { z } from 'zod'
import { adminAction } from '../../../admin-action.ts'
import { data } from '../../../data.ts'
import { runtime } from '../../../runtime.ts'
import { readBots, readKind } from './queries.ts'
import { tellTaken } from './tell-taken.ts'

const id = z.string().min(1).max(64)
const agentId = z.string('Expected an agent.').min(1, 'Expected an agent.').max(64)
const typed = z.string('Expected a place.').max(300, 'Expected at most 300 characters.')

export const saveDefaultAgent = adminAction({
  needs: 'admin',
  shape: z.object({ channelId: id, agentId }),
  work: async (input, { membership, actor }) => {
    await data.setDefaultAgent(runtime().db, { ...input, workspaceId: membership.workspaceId, actor })
    return 'Saved. That agent answers wherever nothing else is bound.'
  },
})

export const bindPlace = adminAction({
  needs: 'admin',
  shape: z.object({ channelId: id, place: typed, agentId, instead: z.string().max(100).optional() }),
  work: async ({ channelId, place, agentId, instead }, { membership: { workspaceId }, actor }) => {
    const parsed = data.parsePlace(await readKind(workspaceId, channelId), place)
    if ('mistake' in parsed) return { ok: false, message: 'Not bound.', fields: { place: parsed.mistake } }
    const binding = { workspaceId, channelId, place: parsed.place, agentId, instead, actor }
    const saved = await data.saveBinding(runtime().db, binding)
    if (typeof saved === 'object') return tellTaken(saved)
    return `Saved. That agent answers in ${parsed.place}.`
  },
})

export const unbindPlace = adminAction({
  needs: 'admin',
  shape: z.object({ channelId: id, place: typed }),
  work: async (input, { membership, actor }) => {
    const removed = await data.removeBinding(runtime().db, { ...input, workspaceId: membership.workspaceId, actor })
    return removed ? `The default agent answers in ${input.place}.` : 'It was removed already.'
  },
})

export const saveWhoMayTalk = adminAction({
  needs: 'admin',
  shape: z.object({
    channelId: id,
    who: z.enum(['team', 'listed']).default('listed'),
    allow: z.string().max(50_000, 'Expected a shorter list.').default(''),
  }),
  work: async ({ channelId, who, allow }, { membership: { workspaceId }, actor }) => {
    const parsed = data.parseAllowList(await readKind(workspaceId, channelId), allow)
    if ('mistake' in parsed) return { ok: false, message: 'Not saved.', fields: { allow: parsed.mistake } }
    const admission = { team: who === 'team', allow: parsed.allow }
    await data.saveAdmission(runtime().db, { workspaceId, channelId, change: () => admission, actor })
    return 'Saved. It counts from the next message on.'
  },
})

export const letIn = adminAction({
  needs: 'admin',
  shape: z.object({ channelId: id, person: z.string().max(100) }),
  work: async ({ channelId, person }, { membership: { workspaceId }, actor }) => {
    const parsed = data.parseAllowList(await readKind(workspaceId, channelId), person)
    if ('mistake' in parsed) return { ok: false, message: parsed.mistake }
    await data.saveAdmission(runtime().db, {
      ...{ workspaceId, channelId, actor },
      change: ({ team, allow }) => ({ team, allow: [...new Set([...allow, ...parsed.allow])] }),
    })
    return `${person} may talk to it. What they said before was not kept: they have to say it again.`
  },
})

export const sendTest = adminAction({
  needs: 'admin',
  shape: z.object({ channelId: id, place: typed }),
  work: async ({ channelId, place }, { membership, actor }) => {
    const { db } = runtime()
    const { workspaceId } = membership
    const text = `${membership.memberName} sends a test message from the console. Nothing needs to be done.`
    const deliveryId = await data.sendTestMessage(db, { workspaceId, channelId, place, text, actor })
    // Nobody would take it up while we wait.
    if (!(await readBots()).length) return 'It waits: no bot process is alive. It is sent when one is.'
    const delivery = await data.awaitDelivery(db, { workspaceId, deliveryId })
    if (delivery?.status === 'sent') return `The test message is in ${place}.`
    if (delivery?.status === 'failed')
      return { ok: false, message: `It could not be sent to ${place}: ${delivery.error ?? 'nobody knows why'}.` }
    const soFar = delivery?.error ? ` So far: ${delivery.error}.` : ''
    return `It is on its way, and not there yet. It is tried again until it is.${soFar}`
  },
})
