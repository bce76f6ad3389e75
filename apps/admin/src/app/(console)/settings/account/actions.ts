'use server'

import { z } from 'zod'
import { adminAction } from '../../../../admin-action.ts'
import { data } from '../../../../data.ts'
import { runtime } from '../../../../runtime.ts'

export const saveOwnName = adminAction({
  needs: 'viewer',
  shape: z.object({ name: data.personNameShape }),
  work: async ({ name }, { session }) => {
    await data.renameLogin(runtime().db, { loginId: session.login.id, name })
    return `You are called ${name}.`
  },
})

export const changePassword = adminAction({
  needs: 'viewer',
  shape: z
    .object({
      currentPassword: z.string().min(1, 'Expected your current password.').max(1024),
      newPassword: z
        .string()
        .min(data.passwordLength.min, `Expected at least ${data.passwordLength.min} characters.`)
        .max(data.passwordLength.max, `Expected at most ${data.passwordLength.max} characters.`),
      repeatedPassword: z.string().max(1024),
    })
    .refine((input) => input.newPassword === input.repeatedPassword, {
      path: ['repeatedPassword'],
      message: 'The two are not the same.',
    }),
  work: async ({ currentPassword, newPassword }, { session }) => {
    const result = await data.changePassword(runtime().db, {
      loginId: session.login.id,
      sessionId: session.id,
      currentPassword,
      newPassword,
    })
    if (result.ok) return 'The password is changed. Your other browsers are signed out.'
    if (result.reason === 'wrong-password')
      return { ok: false, message: 'Not changed.', fields: { currentPassword: 'This is not your current password.' } }
    const minutes = Math.ceil((result.retryAfterSeconds ?? 60) / 60)
    return { ok: false, message: `Too many attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.` }
  },
})

export const revokeBrowser = adminAction({
  needs: 'viewer',
  shape: z.object({ sessionId: z.string().max(64) }),
  work: async ({ sessionId }, { session }) => {
    const revoked = await data.revokeSession(runtime().db, { loginId: session.login.id, sessionId })
    return revoked ? 'That browser is signed out.' : 'It was signed out already.'
  },
})

export const getLinkCode = adminAction({
  needs: 'viewer',
  shape: z.object({}),
  work: async (_input, { membership: { workspaceId, memberId } }) => {
    const { code, expiresAt } = await data.createLinkCode(runtime().db, { workspaceId, memberId })
    return { ok: true, message: 'Here is your code.', once: { code, expiresAt: expiresAt.toISOString() } }
  },
})

export const unlinkAccount = adminAction({
  needs: 'viewer',
  shape: z.object({ identityId: z.string().max(64) }),
  work: async ({ identityId }, { membership: { workspaceId, memberId }, actor }) => {
    const unlinked = await data.unlinkIdentity(runtime().db, { workspaceId, memberId, identityId, actor })
    return unlinked ? 'It is unlinked.' : 'It was unlinked already.'
  },
})
