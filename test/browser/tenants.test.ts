// Every route that is asked for by an id, with the id of another workspace: it is as if nothing were there. The REST API
// has the same in rest-api.test.ts, for every operation and method.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '@quartermaster/db'
import { expect, test } from 'vitest'
import { createTestWorkspace } from '../../packages/db/src/testing-workspace.ts'
import { requireBuild, useConsole } from './console.ts'
import { findAreas, together } from './find-areas.ts'
import { makeTenantIds, type TenantIds } from './tenant-ids.ts'

const it = useConsole()
const foreign = together<(ids: TenantIds) => string>((await findAreas()).map((area) => area.foreign))

test('every page that is asked for by an id is in the table of an area', () => {
  const file = join(projectRoot, 'apps/admin', requireBuild(), 'server/app-paths-manifest.json')
  const pages = Object.keys(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>)
    .filter((path) => path.startsWith('/(console)/') && path.endsWith('/page') && path.includes('['))
    .map((path) => path.replace('/(console)', '').replace(/\/page$/, ''))
  expect(Object.keys(foreign).sort()).toEqual(pages.sort())
})

test('what another workspace has is not found under any of them, and one’s own is', async () => {
  const other = await createTestWorkspace(it.db)
  const theirs = await makeTenantIds(it.db, { workspaceId: other.workspaceId, memberId: other.members.owner })
  const own = await makeTenantIds(it.db, { workspaceId: it.workspaceId, memberId: it.people.owner.memberId })
  const { request } = await it.context({ as: it.people.owner })
  for (const [route, addressOf] of Object.entries(foreign)) {
    const html = await request.get(addressOf(theirs), { maxRedirects: 0 })
    expect([route, html.status()]).toEqual([route, 404])
    // As the router fetches it; Next leads it to an address of its own first.
    const rsc = await request.get(addressOf(theirs), { headers: { rsc: '1' } })
    const text = (await html.text()) + (await rsc.text())
    // What stands in the address is in the answer anyway.
    const secrets = ['Which drink?', 'file.write', theirs.agentId].filter(
      (secret) => !addressOf(theirs).includes(secret),
    )
    for (const secret of secrets) expect([route, text.includes(secret)]).toEqual([route, false])
    expect([route, (await request.get(addressOf(own), { maxRedirects: 0 })).status()]).toEqual([route, 200])
  }
})
