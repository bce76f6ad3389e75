'use server'

import { z } from 'zod'
import { adminAction } from '../../../admin-action.ts'
import { data } from '../../../data.ts'
import { startOfDay } from '../../../day-in-zone.ts'
import { runtime } from '../../../runtime.ts'

const id = z.string().min(1).max(64)
const name = z
  .string()
  .trim()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,127}$/,
    'Expected up to 128 letters, digits and _ . : / -, a letter or digit first.',
  )
const description = z.string().trim().max(300, 'Expected at most 300 characters.')
// What is wrong with a value is said without the value: a message of zod never repeats what it was given.
const value = z
  .string()
  .min(1, 'Expected a value.')
  .refine((text) => Buffer.byteLength(text) <= data.limits.secretBytes, `Expected at most 64 KiB.`)
const day = z.string().max(20).default('')

export const addScope = adminAction({
  needs: 'admin',
  shape: z.object({ name, description: description.default('') }),
  work: async (input, { membership: { workspaceId }, actor }) => {
    await data.createScope(runtime().db, { ...input, workspaceId, actor })
    return `The scope ${input.name} is made. Store what it unlocks, and grant it.`
  },
})

export const saveScope = adminAction({
  needs: 'admin',
  shape: z.object({ scopeId: id, description }),
  work: async (input, { membership: { workspaceId }, actor }) => {
    const changed = await data.describeScope(runtime().db, { ...input, workspaceId, actor })
    return changed ? 'Saved.' : 'It says that already.'
  },
})

export const removeScope = adminAction({
  needs: 'admin',
  shape: z.object({ scopeId: id }),
  work: async ({ scopeId }, { membership: { workspaceId }, actor }) => {
    const deleted = await data.deleteScope(runtime().db, { workspaceId, scopeId, actor })
    return deleted ? 'The scope is deleted, and nobody has it any more.' : 'It was deleted already.'
  },
})

export const saveSecret = adminAction({
  needs: 'admin',
  shape: z.object({ scope: name, name, value, expires: day }),
  work: async (input, { membership: { workspaceId }, actor }) => {
    const parsed = await parseDay(workspaceId, input.expires)
    if ('mistake' in parsed) return { ok: false, message: 'Not stored.', fields: { expires: parsed.mistake } }
    const { db, keys } = runtime()
    const { version } = await data.storeSecret(db, keys, {
      ...{ workspaceId, scope: input.scope, name: input.name, value: input.value, actor },
      expiresAt: parsed.day,
    })
    return version === 1
      ? `${input.name} is stored. Its value is not shown again.`
      : `Version ${version} of ${input.name} is stored; the one before is destroyed.`
  },
})

export const saveExpiry = adminAction({
  needs: 'admin',
  shape: z.object({ secretId: id, expires: day }),
  work: async ({ secretId, expires }, { membership: { workspaceId }, actor }) => {
    const parsed = await parseDay(workspaceId, expires)
    if ('mistake' in parsed) return { ok: false, message: 'Not saved.', fields: { expires: parsed.mistake } }
    const expiresAt = parsed.day
    const changed = await data.expireSecret(runtime().db, { workspaceId, secretId, expiresAt, actor })
    if (!changed) return 'It says that already.'
    return expiresAt ? 'Saved. From that day on no tool gets it.' : 'Saved. It does not expire.'
  },
})

export const retireValue = adminAction({
  needs: 'admin',
  shape: z.object({ name }),
  work: async (input, { membership: { workspaceId }, actor }) => {
    const retired = await data.retireSecret(runtime().db, { ...input, workspaceId, actor })
    return retired ? `${input.name} is retired: its value is destroyed.` : 'It was retired already.'
  },
})

export const giveScope = adminAction({
  needs: 'admin',
  shape: z.object({ scopeId: id, agentId: z.string('Expected an agent.').min(1, 'Expected an agent.').max(64) }),
  work: async (input, { membership: { workspaceId, memberId } }) => {
    const actor = { kind: 'member', id: memberId } as const
    const granted = await data.grantScope(runtime().db, { ...input, workspaceId, actor })
    return granted ? 'Granted. It counts from the next tool call on.' : 'That agent has it already.'
  },
})

export const takeScope = adminAction({
  needs: 'admin',
  shape: z.object({ scopeId: id, agentId: id }),
  work: async (input, { membership: { workspaceId }, actor }) => {
    const revoked = await data.revokeGrant(runtime().db, { ...input, workspaceId, actor })
    return revoked ? 'Taken back. Its next tool call gets nothing of it.' : 'It was taken back already.'
  },
})

/** The day on which a secret ends, as it begins in the workspace's zone; an empty field is no end. */
async function parseDay(workspaceId: string, text: string): Promise<{ day: Date | null } | { mistake: string }> {
  if (!text) return { day: null }
  const { timezone } = await data.readSettings(runtime().db, workspaceId)
  const found = startOfDay(text, timezone)
  if (!found) return { mistake: 'Expected a day, like 2027-01-31.' }
  return found.getTime() > Date.now() ? { day: found } : { mistake: 'Expected a day to come.' }
}
