import type { AreaUnderTest } from '../area.ts'
import type { ConsoleUnderTest } from '../console.ts'

export default {
  pages: { '/executions': 'viewer' },
  byId: {
    '/executions/[id]': 'executions.test.ts',
    '/api/search': 'search.test.ts',
  },
  foreign: { '/executions/[id]': ({ executionId }) => `/executions/${executionId}` },
  looks: async (it: ConsoleUnderTest) => {
    const { id } = await it.db.prisma.toolCall.findFirstOrThrow({
      where: { workspaceId: it.workspaceId, decision: 'deny' },
    })
    return ['/executions?status=failed', '/executions?q=nothing-has-this', `/executions/${id}`]
  },
} satisfies AreaUnderTest
