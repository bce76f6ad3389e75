import { createScope, grantScope, newId, storeSecret } from '@quartermaster/db'
import type { AreaUnderTest, TestedAction } from '../area.ts'
import type { ConsoleUnderTest } from '../console.ts'
import { consoleKeys } from '../console.ts'

const onPage = (form: TestedAction['form']): TestedAction => ({ needs: 'admin', form })

const someScope = (it: ConsoleUnderTest) =>
  createScope(it.db, {
    ...{ workspaceId: it.workspaceId, name: `scope-${newId('x')}`, description: '' },
    actor: { kind: 'member', id: it.people.owner.memberId },
  })

async function someSecret(it: ConsoleUnderTest) {
  const name = `secret-${newId('x')}`
  await storeSecret(it.db, consoleKeys, {
    ...{ workspaceId: it.workspaceId, scope: 'github', name, value: 'v' },
    actor: { kind: 'member', id: it.people.owner.memberId },
  })
  return it.db.prisma.secret.findFirstOrThrow({ where: { workspaceId: it.workspaceId, name } })
}

async function someGrant(it: ConsoleUnderTest) {
  const { id: agentId } = await it.db.prisma.agent.findFirstOrThrow({
    where: { workspaceId: it.workspaceId, archivedAt: null },
  })
  return { agentId, scopeId: await someScope(it) }
}

export default {
  pages: { '/secrets': 'admin' },
  byId: { '/secrets/[id]': 'secrets.test.ts' },
  foreign: {
    '/secrets/[id]': ({ secretId }) => `/secrets/${secretId}`,
  },
  actions: {
    addScope: onPage(() => ({ name: `scope-${newId('x')}`, description: 'For a test.' })),
    saveScope: onPage(async (_own, it) => ({ scopeId: await someScope(it), description: 'Said anew.' })),
    removeScope: onPage(async (_own, it) => ({ scopeId: await someScope(it) })),
    saveSecret: onPage(() => ({ scope: 'github', name: `secret-${newId('x')}`, value: 'a value', expires: '' })),
    saveExpiry: onPage(async (_own, it) => ({ secretId: (await someSecret(it)).id, expires: '2099-01-01' })),
    retireValue: onPage(async (_own, it) => ({ name: (await someSecret(it)).name })),
    giveScope: onPage((_own, it) => someGrant(it)),
    takeScope: onPage(async (_own, it) => {
      const grant = await someGrant(it)
      const actor = { kind: 'member', id: it.people.owner.memberId } as const
      await grantScope(it.db, { ...grant, workspaceId: it.workspaceId, actor })
      return grant
    }),
  },
  looks: async (it) => {
    const { id } = await it.db.prisma.secret.findFirstOrThrow({ where: { workspaceId: it.workspaceId } })
    return [`/secrets/${id}`]
  },
} satisfies AreaUnderTest
