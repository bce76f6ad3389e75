import { expect, test } from 'vitest'
import { type AnyTool, succeeded } from '../contract.ts'
import {
  addTool,
  askTool,
  createNoteTools,
  createSendTool,
  echoTool,
  failTool,
  floodTool,
  readMailTool,
  stubbornTool,
  throwTool,
  waitTool,
} from './sample-tools.ts'
import { describeToolContract, type ToolContractOptions, toolContract } from './tool-contract.ts'

describeToolContract(echoTool, { validArguments: { text: 'a' }, invalidArguments: [{ text: 'a', times: 0 }] })
describeToolContract(addTool, { validArguments: { a: 1, b: 2 }, invalidArguments: [{ a: '1', b: 2 }] })
describeToolContract(failTool, { validArguments: {} })
describeToolContract(floodTool, { validArguments: { bytes: 1_000 } })
describeToolContract(askTool, { validArguments: { question: 'Which?' } })
describeToolContract(readMailTool, { validArguments: {} })
describeToolContract(
  createSendTool(() => {}),
  { validArguments: { to: 'a@b.c', text: 'Hi' }, context: { secrets: new Map([['POST_TOKEN', 'x']]) } },
)
const [readNote, writeNote] = createNoteTools(new Map([['a', 'b']])) as [AnyTool, AnyTool]
describeToolContract(readNote, { validArguments: { name: 'a' } })
describeToolContract(writeNote, { validArguments: { name: 'a', text: 'c' } })

/** Each breaks one line of the contract; the suite must say so. */
const valid: ToolContractOptions = { validArguments: { text: 'a' } }
const none: ToolContractOptions = { validArguments: {} }
const echo = echoTool as AnyTool
const schemaWith = (more: object) => ({ ...(echo.inputSchema as object), ...more }) as AnyTool['inputSchema']
let counter = 0

const planted: [sentence: string, what: string, tool: Partial<AnyTool>, ToolContractOptions][] = [
  ['is a definition', 'a schema that is wrong', { inputSchema: { type: 'object', required: 'text' } }, valid],
  ['is a definition', 'a schema of a string', { inputSchema: { type: 'string' } }, valid],
  ['is a definition', 'no title', { title: '' }, valid],
  ['tells the model', 'no description', { description: 'x' }, valid],
  [
    'tells the model',
    'an argument without a description',
    { inputSchema: schemaWith({ properties: { text: { type: 'string' } } }) },
    valid,
  ],
  [
    'tells the model',
    'a nested argument without a description',
    {
      inputSchema: schemaWith({
        properties: { list: { type: 'array', description: 'x', items: { properties: { a: {} } } } },
      }),
    },
    valid,
  ],
  ['has a name', 'a name that cannot be read back', { name: `a.${'b'.repeat(100)}` }, valid],
  ['has a name', 'its own name as an alias', { aliases: [{ name: echo.name, system: 'glee' }] }, valid],
  [
    'has a name',
    'an alias twice',
    {
      aliases: [
        { name: 'x', system: 'glee' },
        { name: 'x', system: 'nodyn' },
      ],
    },
    valid,
  ],
  ['declares its effect', 'no effect', { effect: undefined as unknown as 'read' }, valid],
  ['declares its effect', 'an unknown effect of a call', { effectOf: () => 'boom' as 'read' }, valid],
  ['renders a summary', 'an empty summary', { summarize: () => ({ title: '' }) }, valid],
  ['renders a summary', 'a summary of two lines', { summarize: () => ({ title: 'a\nb' }) }, valid],
  ['renders a summary', 'a summary that differs', { summarize: () => ({ title: `call ${counter++}` }) }, valid],
  [
    'renders a summary',
    'a summary that changes the arguments',
    {
      summarize: (args) => {
        args.text = 'b'
        return { title: 'x' }
      },
    },
    valid,
  ],
  [
    'renders a summary',
    'a summary that throws',
    {
      summarize: () => {
        throw new Error('no')
      },
    },
    valid,
  ],
  ['accepts valid', 'a schema that refuses them', {}, { validArguments: { text: 1 } }],
  ['refuses bad', 'a schema without types', { inputSchema: schemaWith({ properties: { text: {} } }) }, valid],
  ['refuses bad', 'a schema that takes what it must not', {}, { ...valid, invalidArguments: [{ text: 'fine' }] }],
  [
    'takes the arguments',
    'an alias to nowhere',
    { aliases: [{ name: 'x', system: 'glee', arguments: { a: 'b' } }] },
    valid,
  ],
  [
    'takes the arguments',
    'an alias with a bad default',
    { aliases: [{ name: 'x', system: 'glee', defaults: { times: 0 } }] },
    valid,
  ],
  ['ends a call', 'a tool that throws', throwTool as AnyTool, none],
  ['ends a call', 'a tool that returns nothing', { execute: async () => undefined as never }, valid],
  ['ends a call', 'a failure without an error', { execute: async () => ({ success: false, output: '' }) }, valid],
  [
    'ends a call',
    'a question without resume',
    { execute: async () => ({ suspend: { kind: 'text', title: 'x' } }) },
    valid,
  ],
  [
    'ends a call',
    'data that do not fit',
    { outputSchema: { type: 'string' }, execute: async () => succeeded('', { data: 1 }) },
    valid,
  ],
  ['ends within a second', 'a tool that ignores its signal', stubbornTool as AnyTool, none],
]

test.each(planted)('"%s…" fails for %s', async (beginning, _what, fault, options) => {
  const [sentence, check] = Object.entries(toolContract).find(([name]) => name.startsWith(beginning))!
  expect(sentence).toBeDefined()
  await expect((async () => check({ ...echo, aliases: [], ...fault }, options))()).rejects.toThrow()
})

test('every line of the contract has a tool that breaks it', () => {
  const broken = Object.keys(toolContract).filter((name) => !planted.some(([beginning]) => name.startsWith(beginning)))
  expect(broken).toEqual([])
})

test('a tool that waits, but obeys, is within the contract', async () => {
  await toolContract['ends within a second when it is stopped, before or during its work']!(waitTool, none)
})
