import { beforeEach, expect, test } from 'vitest'
import { isSuspension, type ToolContext } from '../../contract.ts'
import type { Memories, Memory, MemoryOwner } from '../../ports/memories.ts'
import { sampleContext } from '../../testing/sample-tools.ts'
import { describeToolContract } from '../../testing/tool-contract.ts'
import { createMemoryReadTool } from './memory-read.ts'
import { createMemorySearchTool } from './memory-search.ts'
import { createMemoryWriteTool } from './memory-write.ts'

/** Flat; what a database does with them is tested there. */
let kept: (Memory & { owner: MemoryOwner })[] = []
const of = (owner: MemoryOwner) => kept.filter((memory) => memory.owner.agentId === owner.agentId)
const memories: Memories = {
  read: async (owner, namespace) => ({
    memories: of(owner).filter((memory) => memory.namespace === namespace),
    more: false,
    nested: [],
  }),
  async write(owner, { namespace, content }) {
    const createdAt = new Date('2026-11-19T10:00:00Z')
    kept.push({ id: `n${kept.length}`, namespace, content, createdAt, taint: [], owner })
    return { ok: true, noted: true, forgotten: 0 }
  },
  search: async (owner, { query }) => of(owner).filter(({ content }) => content.includes(query)),
}
const [read, write, search] = [
  createMemoryReadTool(memories),
  createMemoryWriteTool(memories),
  createMemorySearchTool(memories),
]

beforeEach(() => {
  kept = []
})

const badNamespaces = ['', '/', 'a/', '../etc', 'a b', 'a//b'].map((namespace) => ({
  namespace,
  content: 'x',
  query: 'x',
}))
describeToolContract(read, { validArguments: { namespace: 'knowledge' }, invalidArguments: badNamespaces })
describeToolContract(write, {
  validArguments: { namespace: 'projects/apollo', content: 'x' },
  invalidArguments: [...badNamespaces, { namespace: 'a', content: 'x', mode: 'delete' }],
})
describeToolContract(search, { validArguments: { query: 'x' }, invalidArguments: [{ query: '' }, ...badNamespaces] })

async function output(call: ReturnType<typeof read.execute>) {
  const ended = await call
  if (isSuspension(ended)) throw new Error('expected a result')
  return ended
}
const noted = (content: string, context: ToolContext) =>
  output(write.execute({ namespace: 'knowledge', content, mode: 'append' }, context))

test('a note is read and found by the agent that made it; a shared one by each that shares', async () => {
  const one = sampleContext({ agentId: 'one' })
  expect(await noted('  The demo is on Friday.  ', one)).toMatchObject({ output: 'Noted in knowledge.' })
  expect(await output(read.execute({ namespace: 'knowledge' }, one))).toMatchObject({
    output: 'The demo is on Friday.',
  })
  expect(await output(search.execute({ query: 'demo', limit: 10 }, one))).toMatchObject({
    output: '[knowledge, 2026-11-19] The demo is on Friday.',
  })
  const two = sampleContext({ agentId: 'two' })
  expect(await output(read.execute({ namespace: 'knowledge' }, two))).toMatchObject({
    output: 'Nothing is noted in knowledge.',
  })
  await noted('For all.', sampleContext({ agentId: 'one', config: { shared: true } }))
  const sharing = sampleContext({ agentId: 'two', config: { shared: true } })
  expect(await output(read.execute({ namespace: 'knowledge' }, sharing))).toMatchObject({ output: 'For all.' })
  expect(await noted(' ', one)).toMatchObject({ success: false, error: expect.stringContaining('empty') })
})

test('whoever reads or finds a note has read the strangers whose words stood there when it was made', async () => {
  const tainted: string[] = []
  const context = sampleContext({ agentId: 'one', taint: (source) => tainted.push(source) })
  await noted('clean', context)
  await output(read.execute({ namespace: 'knowledge' }, context))
  expect(tainted).toEqual([])
  kept = kept.map((memory) => ({ ...memory, taint: ['https://example.com/'] }))
  await output(read.execute({ namespace: 'knowledge' }, context))
  await output(search.execute({ query: 'clean', limit: 10 }, context))
  expect(tainted).toEqual(['https://example.com/', 'https://example.com/'])
})
