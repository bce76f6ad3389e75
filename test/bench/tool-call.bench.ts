// What the executor costs around a tool that does nothing, beside what others cost around the same tool: all in one run,
// turn by turn, so that a busy machine is busy for all of them.
import { DynamicStructuredTool, tool as langChainTool } from '@langchain/core/tools'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import {
  type Caller,
  createExecutor,
  defineTool,
  type Journal,
  Policy,
  succeeded,
  ToolRegistry,
} from '@quartermaster/tools'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { z } from 'zod'
import { type Bench, type Measurement, percentile, readMemory } from './measure.ts'

const turns = 400
const batch = 100
const heapCalls = 1_000_000

const inputSchema = {
  type: 'object',
  properties: { path: { type: 'string' }, limit: { type: 'integer', minimum: 1 } },
  required: ['path'],
  additionalProperties: false,
} as const
const zodSchema = z.object({ path: z.string(), limit: z.number().int().min(1).optional() })
const args = { path: 'notes.md', limit: 3 }

const noop = defineTool({
  name: 'bench.noop',
  title: 'Do nothing',
  description: 'Does nothing.',
  category: 'bench',
  effect: 'read',
  inputSchema,
  execute: async () => succeeded('ok'),
})
const untrusted = { ...noop, name: 'bench.untrusted', untrusted: true }
const withSecret = { ...noop, name: 'bench.secret', requiredSecretScopes: ['bench'] }

const bench: Bench = {
  about: `a call of a tool that does nothing: ${turns} turns of ${batch} calls each, then ${heapCalls.toLocaleString('en')} calls for the heap`,
  async run() {
    const { subjects, close } = await prepareSubjects()
    const times = new Map(Object.keys(subjects).map((what) => [what, [] as number[]]))
    // The first quarter is for the compiler.
    for (let turn = -turns / 4; turn < turns; turn++) {
      for (const [what, call] of Object.entries(subjects)) {
        const micros = await timeBatch(call)
        if (turn >= 0) times.get(what)?.push(micros)
      }
    }
    const ours = percentile(times.get(oursName) as number[], 0.5)
    const measurements: Measurement[] = [...times].map(([what, each]) => {
      const p50 = percentile(each, 0.5)
      return { what, figures: { 'p50 (µs)': p50, 'p95 (µs)': percentile(each, 0.95), 'times ours': p50 / ours } }
    })
    measurements.push(await measureHeap(subjects[oursName] as Call))
    await close()
    return measurements
  },
}
export default bench

type Call = () => unknown
const oursName = 'Quartermaster: policy, validation, executor'

async function prepareSubjects(): Promise<{ subjects: Record<string, Call>; close(): Promise<void> }> {
  const plain = async (given: typeof args) => succeeded(given.path)
  const validate = new Ajv2020().compile(inputSchema)
  const execute = createExecutor({ registry: registry(), policy: policy() })
  const observed = createExecutor({
    registry: registry(),
    policy: policy(),
    journal: countingJournal(),
    onEvent: () => {},
  })
  const secrets = { read: () => new Map([['TOKEN', 'ghp_0123456789abcdefghij0123456789']]) }
  const guarded = createExecutor({ registry: registry(), policy: policy(), secrets })
  const options = { name: 'noop', description: 'Does nothing.' }
  const langChainZod = langChainTool(async () => 'ok', { ...options, schema: zodSchema })
  const langChainJson = new DynamicStructuredTool({ ...options, schema: inputSchema, func: async () => 'ok' })
  const { client, close } = await connectMcp()
  const request = (name: string) => ({ toolCallId: 'call', name, arguments: args })
  // A bench of refusals would look very fast.
  for (const [executor, name] of [
    [execute, 'bench.noop'],
    [observed, 'bench.noop'],
    [execute, 'bench.untrusted'],
    [guarded, 'bench.secret'],
  ] as const) {
    const outcome = await executor(request(name), caller)
    if (outcome.kind !== 'finished' || !outcome.success) throw new Error(`${name} was refused`)
  }
  return {
    close,
    subjects: {
      'a plain function': () => plain(args),
      'Ajv and a plain function': () => validate(args) && plain(args),
      [oursName]: () => execute(request('bench.noop'), caller),
      '… with events, a journal and its digest': () => observed(request('bench.noop'), caller),
      '… wrapped and scanned as untrusted': () => execute(request('bench.untrusted'), caller),
      '… with a secret to redact': () => guarded(request('bench.secret'), caller),
      'LangChain tool().invoke, Zod': () => langChainZod.invoke(args),
      'LangChain tool().invoke, JSON Schema': () => langChainJson.invoke(args),
      'MCP in memory': () => client.callTool({ name: 'noop', arguments: args }),
    },
  }
}

const caller: Caller = {
  workspaceId: 'workspace',
  conversationId: 'conversation',
  runId: 'run',
  agentId: 'agent',
  requesterId: 'member',
  interactive: true,
  policy: {
    agent: 'bench',
    provider: 'anthropic',
    autonomy: 'standard',
    attachments: [noop.name, untrusted.name, withSecret.name],
  },
  signal: new AbortController().signal,
}

function registry(): ToolRegistry {
  const tools = new ToolRegistry()
  tools.registerMany([noop, untrusted, withSecret])
  return tools
}

/** Every layer, a hook and rules: as a real workspace has them. */
const policy = () =>
  new Policy({
    profile: 'full',
    deny: ['browser.*', 'group:runtime'],
    agents: { bench: { allow: ['bench.*'] } },
    providers: { anthropic: { deny: ['web.search'] } },
    hooks: [{ pattern: 'bench.*', hook: 'log' }],
    rules: [
      {
        id: 'r',
        name: 'no pushes',
        pattern: 'shell.exec',
        conditions: [{ path: 'command', command: 'git push*' }],
        verdict: 'deny',
      },
    ],
  })

function countingJournal(): Journal {
  let digests = 0
  return {
    requested(call) {
      digests += call.digest.length
    },
    decided: () => {},
    started: () => digests > 0,
    finished: () => {},
  }
}

async function connectMcp(): Promise<{ client: Client; close(): Promise<void> }> {
  const server = new McpServer({ name: 'bench', version: '1.0.0' })
  server.registerTool('noop', { description: 'Does nothing.', inputSchema: zodSchema.shape }, async () => ({
    content: [{ type: 'text', text: 'ok' }],
  }))
  const client = new Client({ name: 'bench', version: '1.0.0' })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(theirs), client.connect(ours)])
  return { client, close: async () => void (await Promise.all([client.close(), server.close()])) }
}

/** Microseconds for one call, over a batch: one alone is shorter than looking at the clock. */
async function timeBatch(call: Call): Promise<number> {
  const start = performance.now()
  for (let index = 0; index < batch; index++) await call()
  return ((performance.now() - start) * 1_000) / batch
}

async function measureHeap(call: Call): Promise<Measurement> {
  const heapAfter = async (calls: number) => {
    for (let index = 0; index < calls; index++) await call()
    return readMemory().heap
  }
  const before = await heapAfter(10_000)
  const start = performance.now()
  const after = await heapAfter(heapCalls)
  const figures = {
    'mean (µs)': ((performance.now() - start) * 1_000) / heapCalls,
    'heap before (MB)': before / 1024 ** 2,
    'growth (bytes a call)': (after - before) / heapCalls,
  }
  return { what: `the heap over ${heapCalls.toLocaleString('en')} calls`, figures }
}
