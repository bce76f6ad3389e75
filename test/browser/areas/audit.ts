import type { AreaUnderTest } from '../area.ts'

export default {
  pages: { '/audit': 'admin' },
  looks: () => ['/audit?action=secret.*', '/audit?q=nothing+like+that'],
} satisfies AreaUnderTest
