import { beforeEach, describe, expect, test } from 'vitest'
import { createVirtualFiles, type FileTree, normalizePath } from './files.ts'
import { limits } from './limits.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, race, say, type TestWorkspace } from './testing-workspace.ts'

const database = useTestDatabase()
let workspace: TestWorkspace
let tree: FileTree

beforeEach(async () => {
  workspace = await createTestWorkspace(database.db)
  tree = await newTree()
})

async function newTree(): Promise<FileTree> {
  const { conversationId } = await say(database.db, workspace)
  return { workspaceId: workspace.workspaceId, owner: { kind: 'conversation', id: conversationId } }
}

const files = () => createVirtualFiles(database.db)
const write = (path: string, text = 'x', to = tree) => files().write(to, path, new TextEncoder().encode(text))
const read = async (path: string, from = tree) => {
  const found = await files().read(from, path)
  return found.ok ? new TextDecoder().decode(found.content) : found.problem
}
const names = async (path: string) => {
  const listed = await files().list(tree, path)
  return listed.ok ? listed.entries.map((entry) => entry.path) : listed.problem
}

test('what was written is read, and replaced by the next write', async () => {
  expect(await write('/a.txt', 'one')).toEqual({ ok: true, path: '/a.txt', created: true })
  expect(await write('a.txt', 'two')).toEqual({ ok: true, path: '/a.txt', created: false })
  expect(await read('/a.txt')).toBe('two')
  expect(await read('/b.txt')).toBe('There is no file /b.txt.')
})

test('a conversation, an agent and another workspace do not see each other’s files', async () => {
  const agent: FileTree = { workspaceId: workspace.workspaceId, owner: { kind: 'agent', id: workspace.agentId } }
  await write('/a.txt', 'mine')
  expect(await read('/a.txt', await newTree())).toContain('There is no file')
  expect(await read('/a.txt', agent)).toContain('There is no file')
  await write('/a.txt', 'the agent’s', agent)
  expect([await read('/a.txt'), await read('/a.txt', agent)]).toEqual(['mine', 'the agent’s'])
  const other = await createTestWorkspace(database.db)
  const foreign = { ...tree, workspaceId: other.workspaceId }
  expect(await read('/a.txt', foreign)).toContain('There is no file')
  expect(await write('/b.txt', 'x', foreign)).toMatchObject({ ok: false, problem: expect.stringContaining('is gone') })
  expect(await files().list(foreign, '/')).toMatchObject({ ok: true, entries: [] })
})

describe('a path', () => {
  test.each([
    ['a.txt', '/a.txt'],
    ['/a//b/./c/', '/a/b/c'],
    ['/a/../b', '/b'],
    ['.', '/'],
    ['/%_\\', '/%_\\'],
    ['/e\u0301', '/\u00e9'],
  ])('%j is %j', (given, path) => expect(normalizePath(given)).toBe(path))

  test.each(['..', '/a/../../b', '/a\0b', '/a\nb', '/\ud800', `/${'é'.repeat(600)}`])('%j is refused', (given) =>
    expect(normalizePath(given)).toMatchObject({ ok: false }),
  )

  test('as long as the database takes it is written, and one byte more is not', async () => {
    expect(await write(`/${'x'.repeat(limits.virtualPathBytes - 1)}`)).toMatchObject({ ok: true })
    expect(await write(`/${'x'.repeat(limits.virtualPathBytes)}`)).toMatchObject({ ok: false })
  })

  test('is a file or a directory, and never both', async () => {
    await write('/a/b.txt')
    expect(await write('/a')).toMatchObject({ problem: '/a is a directory.' })
    expect(await write('/a/b.txt/c/d')).toMatchObject({ problem: '/a/b.txt is a file, so nothing can be in it.' })
    expect(await write('/')).toMatchObject({ problem: expect.stringContaining('is a directory') })
    expect(await read('/a')).toBe('/a is a directory. List it.')
  })

  test('is never both, however many write at once', async () => {
    for (let round = 0; round < 5; round++) {
      const path = `/race-${round}`
      const written = await race(8, (index) => write(index % 2 ? path : `${path}/${index}`))
      const asFile = written.some((result, index) => result.ok && index % 2 === 1)
      const asDirectory = written.some((result, index) => result.ok && index % 2 === 0)
      expect([asFile, asDirectory].filter(Boolean)).toHaveLength(1)
    }
  })
})

describe('a listing', () => {
  test('has what is directly in a directory, directories first, files with their size', async () => {
    for (const path of ['/data/z.txt', '/data/b/c.txt', '/data/b/d/e.txt', '/data.txt', '/database/x'])
      await write(path)
    await write('/data/a.txt', 'four')
    expect(await files().list(tree, 'data/')).toEqual({
      ok: true,
      path: '/data',
      entries: [
        { kind: 'directory', path: '/data/b', size: 0 },
        { kind: 'file', path: '/data/a.txt', size: 4 },
        { kind: 'file', path: '/data/z.txt', size: 1 },
      ],
      more: false,
    })
    expect(await names('/')).toEqual(['/data', '/database', '/data.txt'])
  })

  test('of what is not there, or is a file, says so; the root is always there', async () => {
    expect(await names('/')).toEqual([])
    await write('/a.txt')
    expect(await names('/nothing')).toBe('There is no directory /nothing.')
    expect(await names('/a.txt')).toBe('/a.txt is a file. Read it.')
  })

  test('takes what looks like a pattern as it is', async () => {
    await write('/%/a')
    await write('/b/a')
    expect(await names('/%')).toEqual(['/%/a'])
  })

  test('comes in pages that together are the whole, each entry once', async () => {
    const rows = Array.from({ length: 450 }, (_, index) => (index % 3 ? `/f${index}` : `/d${index}/x`))
    await fill(rows)
    const found: string[] = []
    for (let after: string | undefined, pages = 0; pages < 10; pages++) {
      const listed = await files().list(tree, '/', after === undefined ? {} : { after })
      if (!listed.ok) throw new Error(listed.problem)
      expect(listed.entries.length).toBeLessThanOrEqual(limits.pageRows)
      found.push(...listed.entries.map((entry) => entry.path))
      after = listed.entries.at(-1)?.path
      if (!listed.more) break
    }
    expect(found).toHaveLength(450)
    expect(new Set(found)).toEqual(new Set(rows.map((path) => path.replace('/x', ''))))
  })
})

async function fill(paths: string[], bytes = 1): Promise<void> {
  await database.db.pool.query(
    `INSERT INTO virtual_files (id, workspace_id, conversation_id, path, content, size)
     SELECT $2 || path, $1, $2, path, decode(repeat('00', $4), 'hex'), $4 FROM unnest($3::text[]) AS path`,
    [tree.workspaceId, tree.owner.id, paths, bytes],
  )
}

describe('the limits', () => {
  test('a file as large as allowed is written, and one byte more is not', async () => {
    expect(await write('/a', 'x'.repeat(limits.virtualFileBytes))).toMatchObject({ ok: true })
    expect(await write('/b', 'x'.repeat(limits.virtualFileBytes + 1))).toMatchObject({
      problem: expect.stringContaining('too large'),
    })
  })

  test('the last file that fits is written once, however many try; those that are there can be replaced', async () => {
    await fill(Array.from({ length: limits.virtualTreeFiles - 1 }, (_, index) => `/${index}`))
    const written = await race(10, (index) => write(`/new-${index}`))
    expect(written.filter((result) => result.ok)).toHaveLength(1)
    expect(await write('/7', 'again')).toMatchObject({ ok: true })
  })

  test('all files together stay below their limit', async () => {
    const many = limits.virtualTreeBytes / limits.virtualFileBytes
    await fill(
      Array.from({ length: many }, (_, index) => `/${index}`),
      limits.virtualFileBytes,
    )
    expect(await write('/more')).toMatchObject({ problem: expect.stringContaining('together') })
    expect(await write('/0', 'smaller')).toMatchObject({ ok: true })
    expect(await write('/more')).toMatchObject({ ok: true })
  })
})

test('of many writers of one file, one is the last and all of it is there', async () => {
  const texts = Array.from({ length: 20 }, (_, index) => String(index).repeat(1_000))
  const written = await race(20, (index) => write('/a.txt', texts[index]))
  expect(written.filter((result) => result.ok && result.created)).toHaveLength(1)
  expect(texts).toContain(await read('/a.txt'))
})
