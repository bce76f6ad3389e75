'use server'

import { z } from 'zod'
import { adminAction } from '../../../admin-action.ts'
import { data } from '../../../data.ts'
import { runtime } from '../../../runtime.ts'
import { ownOrigin } from '../../../session.ts'

const id = z.string().min(1).max(64)
const role = z.enum(data.roles, 'Expected one of the roles.')
const linkOf = async (token: string) => `${await ownOrigin()}/invite/${token}`

export const inviteMember = adminAction({
  needs: 'admin',
  shape: z.object({ email: z.string().max(254, 'Expected at most 254 characters.'), role }),
  work: async (input, { membership: { workspaceId, memberId } }) => {
    const email = data.parseEmail(input.email)
    if (!email)
      return {
        ok: false,
        message: 'Not invited.',
        fields: { email: 'Expected an e-mail address, like ada@example.com.' },
      }
    const invitation = await data.createInvitation(runtime().db, {
      ...{ workspaceId, email, role: input.role },
      actor: { kind: 'member', id: memberId },
    })
    const { memberRole } = invitation
    return {
      ok: true,
      message: memberRole
        ? `${email} is a member already and stays ${memberRole}; the link lets them sign in here.`
        : `${email} is invited. Give them the link.`,
      once: { link: await linkOf(invitation.token), email },
    }
  },
})

export const renewInvite = adminAction({
  needs: 'admin',
  shape: z.object({ invitationId: id, email: z.string().max(254) }),
  work: async ({ invitationId, email }, { membership: { workspaceId }, actor }) => {
    const renewed = await data.renewInvitation(runtime().db, { workspaceId, invitationId, actor })
    if (!renewed) return { ok: false, message: 'Nobody waits for that invitation any more. Reload the page.' }
    const once = { link: await linkOf(renewed.token), email }
    return { ok: true, message: 'Here is a new link. The one before opens nothing any more.', once }
  },
})

export const revokeInvite = adminAction({
  needs: 'admin',
  shape: z.object({ invitationId: id }),
  work: async ({ invitationId }, { membership: { workspaceId }, actor }) => {
    const revoked = await data.revokeInvitation(runtime().db, { workspaceId, invitationId, actor })
    return revoked ? 'The invitation is revoked. Its link opens nothing.' : 'It was accepted or revoked already.'
  },
})

export const saveRole = adminAction({
  needs: 'admin',
  shape: z.object({ memberId: id, role }),
  work: async (input, { membership: { workspaceId }, actor }) => {
    const changed = await data.changeRole(runtime().db, { ...input, workspaceId, actor })
    return changed ? `Saved. From now on the role is ${input.role}.` : `The role is ${input.role} already.`
  },
})

export const disablePerson = adminAction({
  needs: 'admin',
  shape: z.object({ memberId: id }),
  work: async ({ memberId }, { membership: { workspaceId }, actor }) => {
    const done = await data.disableMember(runtime().db, { workspaceId, memberId, actor })
    return done ? 'Disabled. Nothing that they have opens this workspace any more.' : 'They were disabled already.'
  },
})

export const enablePerson = adminAction({
  needs: 'admin',
  shape: z.object({ memberId: id }),
  work: async ({ memberId }, { membership: { workspaceId }, actor }) => {
    const done = await data.enableMember(runtime().db, { workspaceId, memberId, actor })
    return done ? 'Enabled. They may come in again.' : 'They were enabled already.'
  },
})

export const unlinkPerson = adminAction({
  needs: 'admin',
  shape: z.object({ memberId: id, identityId: id }),
  work: async (input, { membership: { workspaceId }, actor }) => {
    const unlinked = await data.unlinkIdentity(runtime().db, { ...input, workspaceId, actor })
    return unlinked ? 'It is unlinked.' : 'It was unlinked already.'
  },
})

export const endSessions = adminAction({
  needs: 'admin',
  shape: z.object({ memberId: id, sessionId: id.optional() }),
  work: async ({ memberId, sessionId }, { membership: { workspaceId }, actor }) => {
    const whose = { workspaceId, memberId, actor, ...(sessionId ? { sessionId } : {}) }
    const ended = await data.endMemberSessions(runtime().db, whose)
    if (!ended) return 'It was signed out already.'
    return ended === 1 ? 'That browser is signed out.' : `${ended} browsers are signed out.`
  },
})

export const revokeThreadApproval = adminAction({
  needs: 'admin',
  shape: z.object({ leaseId: id }),
  work: async ({ leaseId }, { membership: { workspaceId }, actor }) => {
    const revoked = await data.revokeLease(runtime().db, { workspaceId, leaseId, actor })
    return revoked ? 'Revoked. The next call asks again.' : 'It had ended already.'
  },
})
