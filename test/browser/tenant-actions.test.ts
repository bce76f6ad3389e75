// Every server action, called by the owner of another workspace with ids of this one: nothing here changes, and what they
// are told is what they would be told of ids that nothing has. Actions that are added later are in it by themselves.
import { newId } from '@quartermaster/db'
import { expect, test } from 'vitest'
import { createTestWorkspace } from '../../packages/db/src/testing-workspace.ts'
import type { TestedAction } from './area.ts'
import { outcomeOf, useActions } from './call-action.ts'
import { useConsole } from './console.ts'
import { findAreas, together } from './find-areas.ts'
import { addPerson } from './people.ts'

const it = useConsole()
const { call } = useActions(it)
const actions = together<TestedAction>((await findAreas()).map((area) => area.actions))

/** Everything that the workspace has, as one text that is another one when any of it is. */
async function snapshot(): Promise<Record<string, string>> {
  const { rows: tables } = await it.db.pool.query<{ name: string }>(
    `SELECT c.table_name AS name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = 'public' AND c.column_name = 'workspace_id' AND t.table_type = 'BASE TABLE' ORDER BY 1`,
  )
  const of = (name: string, rows: string) =>
    `SELECT '${name}' AS name, coalesce(md5(string_agg(row, ',' ORDER BY row)), '') AS digest FROM (${rows}) AS x`
  const members = `SELECT login_id FROM identities WHERE workspace_id = $1 AND login_id IS NOT NULL`
  const { rows } = await it.db.pool.query<{ name: string; digest: string }>(
    [
      ...tables.map(({ name }) => of(name, `SELECT t::text AS row FROM "${name}" t WHERE workspace_id = $1`)),
      of('workspaces', 'SELECT t::text AS row FROM workspaces t WHERE id = $1'),
      of(
        'agent_tools',
        'SELECT t::text AS row FROM agent_tools t JOIN agents a ON a.id = t.agent_id WHERE a.workspace_id = $1',
      ),
      of('logins', `SELECT concat(id, name, password_hash) AS row FROM logins WHERE id IN (${members})`),
      of('login_sessions', `SELECT concat(id, revoked_at) AS row FROM login_sessions WHERE login_id IN (${members})`),
    ].join(' UNION ALL '),
    [it.workspaceId],
  )
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]))
}

const isId = (text: string) => /^[a-z]+_[0-9a-z]{16,}$/i.test(text)

/** The same form with ids that look alike and that nothing has. */
const withNobodysIds = (form: Record<string, string>) =>
  Object.fromEntries(Object.entries(form).map(([name, value]) => [name, isId(value) ? nobodys(value) : value]))
const nobodys = (id: string) => newId(id.split('_')[0] as string)

/** Forms without an id of ours change the caller's own workspace, and so does what finds everything by name. */
const changesNothing = (form: Record<string, string>) => !Object.values(form).some(isId)

test('nothing of a workspace is changed by the owner of another one, nor do they learn whether it is there', async () => {
  const { workspaceId } = await createTestWorkspace(it.db)
  const stranger = await addPerson(it.db, { name: 'Strange Owner', role: 'owner', workspaceIds: [workspaceId] })
  const { request } = await it.context({ as: stranger })
  const told = (text: string, form: Record<string, string>) =>
    Object.values(form).reduce((so, value) => (isId(value) ? so.replaceAll(value, '…') : so), text)
  for (const [name, { form }] of Object.entries(actions)) {
    const theirs = await form(it.people.owner, it)
    const before = await snapshot()
    const answer = await outcomeOf(await call(request, name, theirs))
    const after = await snapshot()
    expect([name, Object.keys(after).filter((table) => after[table] !== before[table])]).toEqual([name, []])
    if (changesNothing(theirs)) continue
    const nobody = withNobodysIds(theirs)
    const same = await outcomeOf(await call(request, name, nobody))
    expect([name, told(JSON.stringify(answer), theirs)]).toEqual([name, told(JSON.stringify(same), nobody)])
  }
}, 300_000)

test('by its own owner each of these calls does change it', async () => {
  const { request } = await it.context({ as: it.people.owner })
  const still: string[] = []
  for (const [name, { form }] of Object.entries(actions)) {
    const own = await form(it.people.owner, it)
    const before = await snapshot()
    await call(request, name, own)
    const after = await snapshot()
    if (Object.keys(after).every((table) => after[table] === before[table])) still.push(name)
  }
  // Of what is somebody's own, and of a price that nobody has set, there is nothing to change.
  expect(still.sort()).toEqual(['removePrice', 'revokeBrowser', 'unlinkAccount'])
}, 300_000)
