import { z } from 'zod'
import { searchWorkspace } from '../../shell/search-workspace.ts'
import { pageEndpoint } from '../endpoint.ts'

/** What the palette finds beside the pages: by name, or by a pasted id. */
export const search = pageEndpoint({
  role: 'viewer',
  method: 'GET',
  path: '/api/search',
  query: z.strictObject({ q: z.string().max(2_000) }),
  work: async ({ caller, query: { q } }) =>
    Response.json({ found: await searchWorkspace(caller, q) }, { headers: { 'Cache-Control': 'no-store' } }),
})
