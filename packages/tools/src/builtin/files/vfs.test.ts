import { beforeEach, expect, test } from 'vitest'
import { isSuspension, type ToolContext, type ToolResult } from '../../contract.ts'
import type { FileEntry, FileTree, VirtualFiles } from '../../ports/virtual-files.ts'
import { sampleContext } from '../../testing/sample-tools.ts'
import { describeToolContract } from '../../testing/tool-contract.ts'
import { createVfsListTool } from './vfs-list.ts'
import { createVfsReadTool } from './vfs-read.ts'
import { createVfsWriteTool } from './vfs-write.ts'

/** One tree for each owner, flat; what a database does with paths is tested there. */
const trees = new Map<string, Map<string, Uint8Array>>()
const treeOf = ({ owner }: FileTree) => {
  const key = `${owner.kind} ${owner.id}`
  if (!trees.has(key)) trees.set(key, new Map())
  return trees.get(key)!
}
let listing: { entries: readonly FileEntry[]; more: boolean }
const files: VirtualFiles = {
  async read(tree, path) {
    const content = treeOf(tree).get(path)
    return content ? { ok: true, path, content } : { ok: false, problem: `There is no file ${path}.` }
  },
  async write(tree, path, content) {
    const created = !treeOf(tree).has(path)
    treeOf(tree).set(path, content)
    return { ok: true, path, created }
  },
  list: async (_tree, path) => ({ ok: true, path, ...listing }),
}
const [read, write, list] = [createVfsReadTool(files), createVfsWriteTool(files), createVfsListTool(files)]
const inConversation = (conversationId: string, more: Partial<ToolContext> = {}) =>
  sampleContext({ conversationId, ...more })

beforeEach(() => {
  trees.clear()
  listing = { entries: [], more: false }
})

describeToolContract(read, { validArguments: { path: '/a.txt' }, invalidArguments: [{ path: '' }] })
describeToolContract(write, {
  validArguments: { path: '/a.txt', content: 'x' },
  invalidArguments: [{ path: '/a.txt' }],
})
describeToolContract(list, { validArguments: {}, invalidArguments: [{ path: '' }] })

async function result(call: ReturnType<typeof read.execute>): Promise<ToolResult> {
  const ended = await call
  if (isSuspension(ended)) throw new Error('expected a result')
  return ended
}

test('what is written in a conversation is read in it, and in no other', async () => {
  const content = 'Grüße\n'
  expect(await result(write.execute({ path: '/a.txt', content }, inConversation('one')))).toMatchObject({
    output: 'Successfully wrote 8 bytes to /a.txt',
    data: { path: '/a.txt', size: 8, created: true },
  })
  expect(await result(read.execute({ path: '/a.txt' }, inConversation('one')))).toMatchObject({ output: content })
  expect(await result(read.execute({ path: '/a.txt' }, inConversation('two')))).toMatchObject({
    success: false,
    error: 'There is no file /a.txt.',
  })
})

test('an attachment can give the agent files of its own, in all its conversations', async () => {
  const config = { tree: 'agent' }
  await write.execute({ path: '/a.txt', content: 'x' }, inConversation('one', { config }))
  expect(await result(read.execute({ path: '/a.txt' }, inConversation('two', { config })))).toMatchObject({
    output: 'x',
  })
  expect(await result(read.execute({ path: '/a.txt' }, inConversation('one')))).toMatchObject({ success: false })
})

test('bytes that are no text are not passed off as text', async () => {
  const tree: FileTree = { workspaceId: 'workspace-1', owner: { kind: 'conversation', id: 'one' } }
  await files.write(tree, '/a.bin', new Uint8Array([0xff, 0xfe]))
  expect(await result(read.execute({ path: '/a.bin' }, inConversation('one')))).toMatchObject({
    success: false,
    error: '/a.bin is not text: its 2 bytes are not UTF-8.',
  })
})

test('a listing is that of the iofold document', async () => {
  listing.entries = [
    { kind: 'directory', path: '/data/inputs', size: 0 },
    { kind: 'file', path: '/data/report.txt', size: 1024 },
    { kind: 'file', path: '/data/config.json', size: 256 },
  ]
  expect(await result(list.execute({ path: '/data' }, sampleContext()))).toMatchObject({
    output: `Contents of /data:
[DIR]  /data/inputs
[FILE] /data/report.txt (1024 bytes)
[FILE] /data/config.json (256 bytes)`,
  })
})

test('a long listing says how to go on, and an empty one that it is empty', async () => {
  listing = { entries: [{ kind: 'file', path: '/a "b".txt', size: 1 }], more: true }
  expect((await result(list.execute({ path: '/' }, sampleContext()))).output).toContain(
    String.raw`list again with after "/a \"b\".txt"`,
  )
  listing = { entries: [], more: false }
  expect((await result(list.execute({ path: '/' }, sampleContext()))).output).toBe('Contents of /:\n(empty)')
})

test('the card says what is written where, and how much of it is not shown', () => {
  const card = write.summarize!({ path: '/a.txt', content: 'x'.repeat(2_500) })
  expect(card.title).toBe('Write 2500 bytes to /a.txt')
  expect(card.facts?.[1]?.value).toMatch(/x… \(500 more characters\)$/)
})
