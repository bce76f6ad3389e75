import { createVirtualFiles } from '@quartermaster/db'
import type { AreaUnderTest } from '../area.ts'
import type { ConsoleUnderTest } from '../console.ts'

/** A virtual file of an agent's, as somebody would see it. */
async function aFile({ db, workspaceId }: ConsoleUnderTest, path: string) {
  const agent = await db.prisma.agent.findFirstOrThrow({ where: { workspaceId, archivedAt: null } })
  const tree = { workspaceId, owner: { kind: 'agent', id: agent.id } } as const
  await createVirtualFiles(db).write(tree, path, Buffer.from('# Notes\n'))
  const { id, updatedAt } = await db.prisma.virtualFile.findFirstOrThrow({ where: { agentId: agent.id, path } })
  return { where: 'virtual', file: id, version: updatedAt.toISOString() }
}

export default {
  pages: { '/files': 'member' },
  byId: {
    '/files/open': 'files.test.ts',
    '/files/virtual/[id]': 'files.test.ts',
  },
  foreign: {
    '/files/virtual/[id]': ({ virtualFileId }) => `/files/virtual/${virtualFileId}`,
  },
  actions: {
    saveFile: {
      needs: 'admin',
      form: async (own, it) => ({ ...(await aFile(it, `/save-${own.role}.md`)), content: 'changed', lines: 'lf' }),
    },
    removeFile: { needs: 'admin', form: (own, it) => aFile(it, `/remove-${own.role}.md`) },
  },
  looks: async (it) => ['/files?in=virtual', `/files/virtual/${(await aFile(it, '/looked-at.md')).file}`],
} satisfies AreaUnderTest
