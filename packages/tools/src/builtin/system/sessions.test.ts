import { expect, test } from 'vitest'
import type { ToolResult } from '../../contract.ts'
import type { SessionEntry, Sessions } from '../../ports/sessions.ts'
import { sampleContext } from '../../testing/sample-tools.ts'
import { describeToolContract } from '../../testing/tool-contract.ts'
import { createSessionsDeleteTool } from './sessions-delete.ts'
import { createSessionsListTool } from './sessions-list.ts'

const entry = (id: string, title: string | null, messages: number): SessionEntry => ({
  id,
  title,
  channel: 'web',
  lastActivityAt: new Date('2026-11-18T12:00:00Z'),
  messages,
})
let all = [entry('cnv_1', 'First\n"quoted"', 1), entry('cnv_2', null, 12), entry('cnv_3', 'Third', 3)]
const deletedBy: unknown[] = []
const sessions: Sessions = {
  async list(_caller, { limit, before }) {
    const rest = before === undefined ? all : all.slice(all.findIndex(({ id }) => id === before) + 1)
    return { sessions: rest.slice(0, limit), more: rest.length > limit }
  },
  async delete(caller, id) {
    if (id === 'cnv_busy') return { ok: false, problem: 'The agent still works in this session.' }
    deletedBy.push(caller)
    return { ok: true }
  },
}
const list = createSessionsListTool(sessions)
const remove = createSessionsDeleteTool(sessions)
const run = async (work: ReturnType<typeof list.execute>) => (await work) as ToolResult

describeToolContract(list, {
  validArguments: { limit: 5 },
  invalidArguments: [{ limit: 0 }, { limit: 101 }, { limit: 1.5 }, { before: '' }],
})
describeToolContract(remove, { validArguments: { id: 'cnv_1' }, invalidArguments: [{ id: '' }, { session: 'cnv_1' }] })

test('a page of sessions is a line each, and says how to go on', async () => {
  const first = await run(list.execute({ limit: 2 }, sampleContext()))
  expect(first.output.split('\n')).toEqual([
    String.raw`cnv_1  2026-11-18T12:00:00.000Z  web  1 message  "First\n\"quoted\""`,
    'cnv_2  2026-11-18T12:00:00.000Z  web  12 messages  ""',
    'There are more: list again with before "cnv_2".',
  ])
  expect((await run(list.execute({ limit: 2, before: 'cnv_2' }, sampleContext()))).output).toContain('cnv_3')
  all = []
  expect((await run(list.execute({ limit: 2 }, sampleContext()))).output).toBe('There are no sessions.')
})

test('a session is deleted as the person who asked, and a refusal is told', async () => {
  deletedBy.length = 0
  const context = sampleContext({ requesterId: 'member-1', conversationId: 'cnv_here' })
  expect(await run(remove.execute({ id: 'cnv_1' }, context))).toMatchObject({ output: 'Deleted the session cnv_1.' })
  expect(deletedBy).toMatchObject([{ requesterId: 'member-1', conversationId: 'cnv_here' }])
  expect(await run(remove.execute({ id: 'cnv_busy' }, context))).toMatchObject({
    success: false,
    error: 'The agent still works in this session.',
  })
})

test('where nobody asked, nothing is listed or deleted', async () => {
  const context = sampleContext({ requesterId: null })
  expect(await run(list.execute({ limit: 5 }, context))).toMatchObject({ success: false })
  expect(await run(remove.execute({ id: 'cnv_1' }, context))).toMatchObject({ success: false })
})
