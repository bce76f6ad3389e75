// The tools of the model's provider: what is offered, what is refused, and what is on record of them.
import { type Database, newId } from '@quartermaster/db'
import { useTestDatabase } from '@quartermaster/db/testing'
import { toApiName } from '@quartermaster/tools'
import { expect, test } from 'vitest'
import { deliveriesOf, type RunSetup, setUpRuns } from './run-setup.ts'
import { until } from './start-bot.ts'

const database = useTestDatabase()
const withServerTools = { ANTHROPIC_SERVER_TOOLS: 'true' }

const searched = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'postcards' } }
const found = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: [
    {
      type: 'web_search_result',
      title: 'Postcards',
      url: 'https://cards.example/',
      encrypted_content: 'sealed',
      page_age: null,
    },
  ],
}
const noTokens = {
  ...{ input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
  cache_creation: null,
}
const usage = { server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 }, ...noTokens }
const post = { tool: toApiName('sample.post'), input: { text: 'a card' } }

const offered = ({ emulator }: RunSetup, request = 0) =>
  (emulator.requests[request]?.body?.tools ?? []).map((tool) => (tool as { type?: string }).type ?? tool.name)

/** The tool that the provider's search stands in for, with a configuration and rules. */
async function attachSearch(db: Database, { workspace }: RunSetup, config: object | null = null): Promise<void> {
  await db.pool.query(
    `INSERT INTO agent_tools (agent_id, tool_id, config) SELECT $1, id, $2 FROM tools WHERE handler_key = 'web.search'`,
    [workspace.agentId, config && JSON.stringify(config)],
  )
}

test("the provider's search is offered, recorded as a call, paid for, and taints what comes after it", async () => {
  const { db } = database
  const setup = await setUpRuns(database, [
    { content: [{ block: searched }, { block: found }, { text: 'Found some.' }, post], usage },
    { content: [{ text: 'Sent.' }] },
  ])
  await setup.start(withServerTools)
  await attachSearch(db, setup)
  const { runId, conversationId } = await setup.say('find postcards and send one')
  await until(
    () => setup.run(runId),
    ({ status }) => status === 'waiting',
  )
  expect(offered(setup)).toContain('web_search_20260318')
  expect(offered(setup)).not.toContain(toApiName('web.search'))
  const calls = await db.prisma.toolCall.findMany({ where: { runId }, orderBy: { requestedAt: 'asc' } })
  expect(calls).toMatchObject([
    {
      ...{ toolName: 'web.search', toolUseId: 'srvtoolu_1', step: 1, status: 'succeeded', decision: 'allow' },
      ...{
        arguments: { query: 'postcards' },
        output: '1. Postcards\n   https://cards.example/',
        taint: ['web.search'],
      },
    },
    // What was asked for in the same answer already knows of it.
    { toolName: 'sample.post', status: 'asking' },
  ])
  expect(setup.effects()).toEqual([])
  // One search costs a cent.
  expect(Number((await setup.run(runId)).costMicros)).toBe(10_000)
  const question = await db.prisma.question.findFirstOrThrow({ where: { runId } })
  expect(JSON.stringify(question.reasons)).toContain('web.search')
  expect((await deliveriesOf(db, conversationId))[0]).toMatchObject({ markdown: 'Found some.' })
})

test('what was found goes back as it came, and is left out for a server that never heard of it', async () => {
  const { db } = database
  const setup = await setUpRuns(database, [
    { content: [{ block: searched }, { block: found }, { text: 'Found some.' }], usage },
    { content: [{ text: 'Again.' }] },
    { content: [{ text: 'And again.' }] },
  ])
  const first = await setup.start(withServerTools)
  await attachSearch(db, setup)
  const say = async (text: string) => setup.ended((await setup.say(text, { conversationKey: 'searched' })).runId)
  expect(await say('find')).toMatchObject({ status: 'succeeded' })
  expect(await say('and now?')).toMatchObject({ status: 'succeeded' })
  const answerIn = (index: number) => setup.emulator.requests[index]?.body?.messages[1]?.content
  expect(answerIn(1)).toMatchObject([searched, found, { type: 'text' }])
  first.child.kill('SIGTERM')
  await first.exited
  await setup.start()
  expect(await say('and here?')).toMatchObject({ status: 'succeeded' })
  expect(answerIn(2)).toMatchObject([{ type: 'text', text: 'Found some.' }])
  expect(offered(setup, 2)).toContain(toApiName('web.search'))
})

const notOffered: [
  why: string,
  more: { rule?: { decision: string; conditions: object[] }; config?: object; env?: Record<string, string> },
][] = [
  ['is denied', { rule: { decision: 'deny', conditions: [] } }],
  ['is asked about', { rule: { decision: 'ask', conditions: [] } }],
  [
    'depends on what is searched for',
    { rule: { decision: 'deny', conditions: [{ path: 'query', glob: '*secret*' }] } },
  ],
  ['may bring results of one host and not of those below it', { config: { allowed_hosts: ['example.com'] } }],
  ['has a fixed argument', { config: { fixed_query: 'cats' } }],
  ['has a provider of its own', { env: { WEB_SEARCH_ENDPOINT: 'http://localhost:8888/search' } }],
  ["is not among the server's tools", { env: { ANTHROPIC_SERVER_TOOLS: 'false' } }],
]

test.each(notOffered)(
  "the provider's search is not offered where the search %s",
  async (_why, { rule, config, env }) => {
    const { db } = database
    const setup = await setUpRuns(database, [{ content: [{ text: 'Hello.' }] }])
    if (rule)
      await db.pool.query(
        `INSERT INTO rules (id, workspace_id, name, position, pattern, conditions, decision)
         VALUES ($1, $2, 'test', 1, 'web.search', $3, $4)`,
        [newId('rule'), setup.workspace.workspaceId, JSON.stringify(rule.conditions), rule.decision],
      )
    await setup.start({ ...withServerTools, ...env })
    await attachSearch(db, setup, config ?? null)
    expect(await setup.ended((await setup.say('hello')).runId)).toMatchObject({ status: 'succeeded' })
    expect(offered(setup)).not.toContain('web_search_20260318')
  },
)

test('a list of hosts with all that is below them is handed on', async () => {
  const setup = await setUpRuns(database, [{ content: [{ text: 'Hello.' }] }])
  await setup.start(withServerTools)
  await attachSearch(database.db, setup, { allowed_hosts: ['example.com', '*.example.com'] })
  await setup.ended((await setup.say('hello')).runId)
  expect(setup.emulator.requests[0]?.body?.tools).toContainEqual(
    expect.objectContaining({ type: 'web_search_20260318', allowed_domains: ['example.com'], max_uses: 5 }),
  )
})

test('a search that is paused goes on in the next step, and is on record once', async () => {
  const { db } = database
  const setup = await setUpRuns(database, [
    { content: [{ text: 'I look.' }, { block: searched }], stopReason: 'pause_turn' },
    { content: [{ block: found }, { text: ' There are some.' }], usage },
  ])
  await setup.start(withServerTools)
  await attachSearch(db, setup)
  const { runId, conversationId } = await setup.say('find postcards')
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded', steps: 2 })
  expect(setup.emulator.requests[1]?.body?.messages.at(-1)).toMatchObject({ role: 'assistant' })
  expect((await deliveriesOf(db, conversationId)).map(({ markdown }) => markdown)).toEqual([
    'I look.',
    'There are some.',
  ])
  expect(await db.prisma.toolCall.findMany({ where: { runId } })).toMatchObject([
    { toolUseId: 'srvtoolu_1', step: 2, arguments: { query: 'postcards' } },
  ])
})

test('somebody who writes while a search is paused is answered, and the search is left behind', async () => {
  const setup = await setUpRuns(database, [
    { content: [{ text: 'I look.' }, { block: searched }], stopReason: 'pause_turn', delayMs: 600 },
    { content: [{ text: 'As you wish.' }] },
  ])
  await setup.start(withServerTools)
  await attachSearch(database.db, setup)
  const { runId } = await setup.say('find postcards', { conversationKey: 'paused' })
  await until(
    async () => setup.emulator.requests.length,
    (count) => count === 1,
  )
  await setup.say('never mind', { conversationKey: 'paused' })
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded', steps: 2 })
  expect(setup.emulator.requests[1]?.body?.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: [{ type: 'text', text: 'I look.' }] },
    { role: 'user' },
  ])
})

test('a search that failed is on record as failed, and taints nothing', async () => {
  const { db } = database
  const error = { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' }
  const setup = await setUpRuns(database, [
    { content: [{ block: searched }, { block: { ...found, content: error } }, { text: 'No luck.' }] },
  ])
  await setup.start(withServerTools)
  await attachSearch(db, setup)
  const { runId } = await setup.say('find postcards')
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded' })
  expect(await db.prisma.toolCall.findMany({ where: { runId } })).toMatchObject([
    { status: 'failed', error: 'The search failed: max_uses_exceeded.', taint: [] },
  ])
})

test("a call that the model's own code makes counts for the policy like any other", async () => {
  const { db } = database
  const caller = { type: 'code_execution_20260120', tool_id: 'srvtoolu_9' }
  const use = (name: string, id: string) => ({
    block: { type: 'tool_use', id, name: toApiName(name), input: { text: 'a' }, caller },
  })
  const setup = await setUpRuns(database, [
    { content: [use('sample.confirmed', 'toolu_1'), use('sample.burn', 'toolu_2')], stopReason: 'tool_use' },
  ])
  await setup.start()
  const { runId } = await setup.say('do it in code')
  await until(
    () => setup.run(runId),
    ({ status }) => status === 'waiting',
  )
  expect(await db.prisma.toolCall.findMany({ where: { runId }, orderBy: { toolUseId: 'asc' } })).toMatchObject([
    { toolName: 'sample.confirmed', status: 'asking', decision: 'ask' },
    { status: 'refused' },
  ])
  expect(setup.effects()).toEqual([])
})

test('with hundreds of tools a request has our own, and the model finds the others when it needs them', async () => {
  const { db } = database
  const tool = 'mcp:many:tool217'
  const search = { type: 'server_tool_use', id: 'srvtoolu_2', name: 'tool_search_tool_bm25', input: { query: '217' } }
  const reference = { type: 'tool_reference', tool_name: toApiName(tool) }
  const result = {
    type: 'tool_search_tool_result',
    tool_use_id: 'srvtoolu_2',
    content: { type: 'tool_search_tool_search_result', tool_references: [reference] },
  }
  const setup = await setUpRuns(database, [
    { content: [{ block: search }, { block: result }, { tool: toApiName(tool), input: { text: 'hello' } }] },
    { content: [{ text: 'It heard.' }] },
    { content: [{ text: 'Gone.' }] },
  ])
  await setup.start({ ...withServerTools, QM_TEST_MANY_TOOLS: '300' })
  const attach = (name: string) =>
    db.pool.query('INSERT INTO agent_tools (agent_id, tool_id) SELECT $1, id FROM tools WHERE handler_key LIKE $2', [
      setup.workspace.agentId,
      name,
    ])
  await attach('mcp:many:%')
  const { runId } = await setup.say('use tool 217', { conversationKey: 'many' })
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded', steps: 2 })
  const tools = (setup.emulator.requests[0]?.body?.tools ?? []) as { name: string; defer_loading?: true }[]
  expect(tools.filter(({ defer_loading }) => defer_loading)).toHaveLength(300)
  expect(tools.filter(({ defer_loading }) => !defer_loading).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['tool_search_tool_bm25', toApiName('sample.mark')]),
  )
  expect(await db.prisma.toolCall.findMany({ where: { runId } })).toMatchObject([
    { toolName: tool, status: 'succeeded', decision: 'allow' },
  ])
  // A tool that was taken away meanwhile must not break the conversation that found it.
  await db.pool.query(
    `DELETE FROM agent_tools WHERE agent_id = $1 AND tool_id IN (SELECT id FROM tools WHERE handler_key = $2)`,
    [setup.workspace.agentId, tool],
  )
  const next = await setup.say('and now?', { conversationKey: 'many' })
  expect(await setup.ended(next.runId)).toMatchObject({ status: 'succeeded' })
})
