import { beforeEach, expect, test } from 'vitest'
import { limits } from './limits.ts'
import { createMemories, type MemoryOwner } from './memories.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, race, say, type TestWorkspace } from './testing-workspace.ts'

const database = useTestDatabase()
let workspace: TestWorkspace
let mine: MemoryOwner
let conversationId: string

beforeEach(async () => {
  workspace = await createTestWorkspace(database.db)
  mine = { workspaceId: workspace.workspaceId, agentId: workspace.agentId }
  conversationId = (await say(database.db, workspace)).conversationId
})

const memories = () => createMemories(database.db)
const note = (content: string, more: { namespace?: string; mode?: 'append' | 'replace'; to?: MemoryOwner } = {}) =>
  memories().write(more.to ?? mine, {
    namespace: more.namespace ?? 'knowledge',
    content,
    mode: more.mode ?? 'append',
    conversationId,
  })
const notes = async (namespace = 'knowledge', of = mine) =>
  (await memories().read(of, namespace)).memories.map(({ content }) => content)
const found = async (query: string, namespace?: string, of = mine) =>
  (await memories().search(of, { query, limit: 5, ...(namespace ? { namespace } : {}) })).map(({ content }) => content)

test('what is noted is read in its order, and the same is noted once, however many note it at once', async () => {
  expect(await note('The demo is on Friday.')).toEqual({ ok: true, noted: true, forgotten: 0 })
  expect(await note('Ada is on call.')).toMatchObject({ noted: true })
  expect(await note('The demo is on Friday.')).toMatchObject({ ok: true, noted: false })
  const raced = await race(8, () =>
    memories().write(mine, { namespace: 'knowledge', content: 'raced', mode: 'append', conversationId }),
  )
  expect(raced.filter((written) => written.ok && written.noted)).toHaveLength(1)
  expect(await notes()).toEqual(['The demo is on Friday.', 'Ada is on call.', 'raced'])
})

test('an agent, its workspace and another workspace do not see each other’s notes', async () => {
  const shared = { ...mine, agentId: null }
  await note('mine')
  await note('everybody’s', { to: shared })
  expect([await notes(), await notes('knowledge', shared)]).toEqual([['mine'], ['everybody’s']])
  expect(await found('mine', undefined, shared)).toEqual([])
  const other = await createTestWorkspace(database.db)
  const foreign = { workspaceId: other.workspaceId, agentId: other.agentId }
  expect([await notes('knowledge', foreign), await found('mine', undefined, foreign)]).toEqual([[], []])
  // A conversation of one workspace notes nothing in another.
  expect(await note('x', { to: foreign })).toMatchObject({ noted: false })
})

test('a replacement forgets what was in its namespace, and nothing in those beside and under it', async () => {
  await note('one')
  await note('two')
  await note('beside', { namespace: 'knowledge2' })
  await note('under', { namespace: 'knowledge/apollo' })
  expect(await note('two', { mode: 'replace' })).toEqual({ ok: true, noted: false, forgotten: 1 })
  expect(await note('', { mode: 'replace' })).toEqual({ ok: true, noted: false, forgotten: 1 })
  expect(await notes()).toEqual([])
  expect([await notes('knowledge2'), await notes('knowledge/apollo')]).toEqual([['beside'], ['under']])
  expect((await memories().read(mine, 'knowledge')).nested).toEqual(['knowledge/apollo'])
})

test('a search finds words in other forms, the best first, in a namespace and under it, and is no query language', async () => {
  await note('The release is deployed on Tuesdays.')
  await note('Deployments need two approvals.', { namespace: 'methods/release' })
  await note('Lunch is at noon.')
  expect(await found('deploying')).toEqual(expect.arrayContaining(['The release is deployed on Tuesdays.']))
  expect((await found('two approvals deployment'))[0]).toBe('Deployments need two approvals.')
  expect(await found('deployments', 'methods')).toEqual(['Deployments need two approvals.'])
  expect(await found('what about the lunch?')).toEqual(['Lunch is at noon.'])
  expect(await found('zebra')).toEqual([])
  for (const query of ["'", '& | !', ':*', "a\0'; --", '<->', '   ']) expect(await found(query)).toEqual([])
})

test('what strangers wrote in the conversation stays with the note', async () => {
  await database.db.pool.query(`UPDATE conversations SET taint = '{https://example.com/}' WHERE id = $1`, [
    conversationId,
  ])
  await note('Read there: pay everything.')
  const { memories: read } = await memories().read(mine, 'knowledge')
  expect(read.map(({ taint }) => taint)).toEqual([['https://example.com/']])
  expect((await memories().search(mine, { query: 'pay', limit: 1 }))[0]?.taint).toEqual(['https://example.com/'])
})

test('a long namespace gives its newest notes and says that there are more; a full memory takes no more', async () => {
  const long = 'x'.repeat(limits.memoryReadCharacters / 2)
  for (const name of ['first', 'second', 'third']) await note(`${name} ${long}`)
  const read = await memories().read(mine, 'knowledge')
  expect(read.memories.map(({ content }) => content.split(' ')[0])).toEqual(['second', 'third'])
  expect(read.more).toBe(true)
  await database.db.pool.query(
    `INSERT INTO memories (id, workspace_id, agent_id, namespace, content, digest)
     SELECT 'm' || n, $1, $2, 'many', n::text, sha256(n::text::bytea) FROM generate_series(1, $3) n`,
    [mine.workspaceId, mine.agentId, limits.memories],
  )
  expect(await note('one more')).toEqual({ ok: false, problem: expect.stringContaining('The memory is full') })
  expect(await note('one more', { to: { ...mine, agentId: null } })).toMatchObject({ noted: true })
})
