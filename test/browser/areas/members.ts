import { createApiKey, createInvitation, newId } from '@quartermaster/db'
import { addMember } from '../../../packages/db/src/testing-workspace.ts'
import type { AreaUnderTest, TestedAction } from '../area.ts'
import type { ConsoleUnderTest } from '../console.ts'

const onPage = (form: TestedAction['form']): TestedAction => ({ needs: 'admin', form })

const someMember = (it: ConsoleUnderTest) =>
  addMember(it.db, { workspaceId: it.workspaceId, name: `Somebody ${newId('x')}`, role: 'viewer' })

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
    enablePerson: onPage(async (_own, it) => ({ memberId: await someMember(it) })),
    unlinkPerson: onPage(async (_own, it) => ({ memberId: await someMember(it), identityId: 'none' })),
    endSessions: onPage(async (_own, it) => ({ memberId: await someMember(it) })),
    revokeThreadApproval: onPage(() => ({ leaseId: 'none' })),
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
