import { createApiKey, createInvitation, newId } from '@quartermaster/db'
import { addMember } from '../../../packages/db/src/testing-workspace.ts'
import type { AreaUnderTest, TestedAction } from '../area.ts'
import type { ConsoleUnderTest } from '../console.ts'
import { addPerson } from '../people.ts'
import { startSession } from '../playground-session.ts'

const onPage = (form: TestedAction['form']): TestedAction => ({ needs: 'admin', form })

const someMember = (it: ConsoleUnderTest) =>
  addMember(it.db, { workspaceId: it.workspaceId, name: `Somebody ${newId('x')}`, role: 'viewer' })

/** What the member is, or has, in a column of theirs. */
async function withMember(it: ConsoleUnderTest, sql: string, ...values: unknown[]): Promise<string> {
  const memberId = await someMember(it)
  await it.db.pool.query(sql, [memberId, ...values])
  return memberId
}

/** Somebody with a browser that is signed in. */
async function somebodySignedIn(it: ConsoleUnderTest): Promise<string> {
  const { memberId, loginId } = await addPerson(it.db, {
    ...{ name: `Signed In ${newId('x')}`, role: 'viewer', workspaceIds: [it.workspaceId], withPassword: false },
  })
  await it.db.pool.query(
    `INSERT INTO login_sessions (id, login_id, token_hash, user_agent, expires_at)
     VALUES ($1, $2, decode(md5($1), 'hex') || decode(md5($2), 'hex'), 'A browser', now() + interval '1 day')`,
    [newId('ses'), loginId],
  )
  return memberId
}

async function someLease(it: ConsoleUnderTest): Promise<string> {
  const { conversationId } = await startSession(it, it.people.owner)
  const id = newId('lea')
  await it.db.pool.query(
    `INSERT INTO leases (id, workspace_id, conversation_id, agent_id, tool_name, tool_version, granted_by, max_uses, expires_at)
     SELECT $1, workspace_id, id, agent_id, 'file.write', 'v1', $3, 10, now() + interval '1 day' FROM conversations WHERE id = $2`,
    [id, conversationId, it.people.owner.memberId],
  )
  return id
}

async function someInvitation(it: ConsoleUnderTest): Promise<string> {
  const { id } = await createInvitation(it.db, {
    ...{ workspaceId: it.workspaceId, email: `${newId('p')}@example.com`, role: 'viewer' },
    actor: { kind: 'member', id: it.people.owner.memberId },
  })
  return id
}

/** Members and API keys. */
export default {
  pages: { '/members': 'viewer', '/api-keys': 'viewer' },
  byId: { '/members/[id]': 'members.test.ts' },
  foreign: {
    '/members/[id]': ({ memberId }) => `/members/${memberId}`,
  },
  actions: {
    inviteMember: onPage(() => ({ email: `${newId('p')}@example.com`, role: 'member' })),
    renewInvite: onPage(async (_own, it) => ({ invitationId: await someInvitation(it), email: 'a@example.com' })),
    revokeInvite: onPage(async (_own, it) => ({ invitationId: await someInvitation(it) })),
    saveRole: onPage(async (_own, it) => ({ memberId: await someMember(it), role: 'member' })),
    disablePerson: onPage(async (_own, it) => ({ memberId: await someMember(it) })),
    enablePerson: onPage(async (_own, it) => ({
      memberId: await withMember(it, 'UPDATE members SET disabled_at = now() WHERE id = $1'),
    })),
    unlinkPerson: onPage(async (_own, it) => {
      const identityId = newId('idn')
      const linked = `INSERT INTO identities (id, workspace_id, member_id, kind, external_id) SELECT $2, workspace_id, id, 'telegram', $2 FROM members WHERE id = $1`
      return { memberId: await withMember(it, linked, identityId), identityId }
    }),
    endSessions: onPage(async (_own, it) => ({ memberId: await somebodySignedIn(it) })),
    revokeThreadApproval: onPage(async (_own, it) => ({ leaseId: await someLease(it) })),
    makeApiKey: {
      needs: 'viewer',
      form: () => ({ name: `Key ${newId('x')}`, scopes: 'runs', lifetime: '30' }),
    },
    revokeKey: {
      needs: 'viewer',
      form: async ({ memberId }, it) => {
        const { id } = await createApiKey(it.db, {
          ...{ workspaceId: it.workspaceId, memberId, name: 'To revoke', scopes: [] },
          actor: { kind: 'member', id: memberId },
        })
        return { keyId: id }
      },
    },
  },
  looks: async (it) => [`/members/${it.people.owner.memberId}`, '/members?q=nobody', '/invite/none'],
} satisfies AreaUnderTest
