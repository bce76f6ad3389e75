// Every route that is asked for by an id, with the id of another workspace: it is as if nothing were there. The REST API
// has the same in rest-api.test.ts, for every operation and method.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot, type Role } from '@quartermaster/db'
import { expect, test } from 'vitest'
import { createTestWorkspace } from '../../packages/db/src/testing-workspace.ts'
import { requireBuild, useConsole } from './console.ts'
import { findAreas, together } from './find-areas.ts'
import { makeTenantIds, type TenantIds } from './tenant-ids.ts'

const it = useConsole()
const areas = await findAreas()
const foreign = together<(ids: TenantIds) => string>(areas.map((area) => area.foreign))
const pages = together<Role>(areas.map((area) => area.pages))

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

test('nor under any parameter of any page', async () => {
  const other = await createTestWorkspace(it.db)
  const theirs = await makeTenantIds(it.db, { workspaceId: other.workspaceId, memberId: other.members.owner })
  const canary = `canary of ${other.workspaceId}`
  for (const sql of [
    'UPDATE runs SET title = $2 WHERE workspace_id = $1',
    'UPDATE agents SET name = $2 WHERE workspace_id = $1',
    `UPDATE questions SET prompt = jsonb_set(prompt, '{title}', to_jsonb($2::text)) WHERE workspace_id = $1`,
  ])
    await it.db.pool.query(sql, [other.workspaceId, canary])
  const { request } = await it.context({ as: it.people.owner })
  const ids: Record<string, string[]> = {
    ...{ agent: [theirs.agentId], tool: [theirs.toolId], member: [theirs.memberId], file: [theirs.virtualFileId] },
    ...{
      subject: [`agent:${theirs.agentId}`],
      actor: [`member:${theirs.memberId}`],
      path: [`../${other.workspaceId}`],
    },
    ...{ item: [theirs.executionId, theirs.questionId, 's1'], q: [theirs.runId, 'canary of'] },
  }
  for (const path of Object.keys(pages))
    for (const [name, values] of Object.entries(ids))
      for (const value of values) {
        const answer = await request.get(`${path}?${new URLSearchParams({ [name]: value })}`, { headers: { rsc: '1' } })
        const text = await answer.text()
        const shown = [canary, 'canary value'].filter((secret) => text.includes(secret))
        expect([path, name, answer.status() < 500, shown]).toEqual([path, name, true, []])
      }
})
