import { randomUUID } from 'node:crypto'
import type { AreaUnderTest } from '../area.ts'
import type { ConsoleUnderTest } from '../console.ts'
import { addTool } from '../tenant-ids.ts'

const aTool = async ({ db, workspaceId }: ConsoleUnderTest) =>
  (await db.prisma.toolDetail.findFirstOrThrow({ where: { workspaceId }, orderBy: { toolId: 'asc' } })).toolId

export default {
  pages: { '/tools': 'viewer' },
  byId: { '/tools/[id]': 'tools.test.ts' },
  foreign: {
    '/tools/[id]': ({ toolId }) => `/tools/${encodeURIComponent(toolId)}`,
  },
  actions: {
    switchToolHere: {
      needs: 'admin',
      form: async (_own, it) => ({ toolId: await addTool(it.db, it.workspaceId), on: 'no' }),
    },
    setToolHook: {
      needs: 'admin',
      form: async (_own, it) => {
        const settings = await it.db.prisma.policySettings.findUnique({ where: { workspaceId: it.workspaceId } })
        return {
          toolId: await addTool(it.db, it.workspaceId),
          hook: 'confirm',
          seen: settings?.updatedAt.toISOString() ?? '',
        }
      },
    },
    tryTool: {
      needs: 'member',
      form: async (_own, it) => {
        const agent = await it.db.prisma.agent.findFirstOrThrow({
          where: { workspaceId: it.workspaceId, archivedAt: null },
        })
        return {
          toolId: await addTool(it.db, it.workspaceId),
          agentId: agent.id,
          sessionId: randomUUID(),
          eventId: randomUUID(),
          arguments: '{}',
        }
      },
    },
  },
  looks: async (it) => [`/tools/${await aTool(it)}`, '/tools?q=nothing-is-like-that'],
} satisfies AreaUnderTest
