import type { AreaUnderTest } from '../area.ts'

export default {
  pages: { '/audit': 'admin' },
  byId: { '/api/audit/export': 'audit.test.ts', '/api/audit/verify': 'audit.test.ts' },
  looks: () => ['/audit?action=secret.*', '/audit?q=nothing+like+that'],
} satisfies AreaUnderTest
