// Tools that leave traces which a test can count: two traces of one call are a double start.
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AnyTool, type DelegatedEnd, defineTool, succeeded } from '@quartermaster/tools'
import { sampleTools } from '@quartermaster/tools/testing'

const effect = (line: string) => appendFileSync(process.env.QM_TEST_EFFECTS as string, `${line}\n`)

const mark = {
  category: 'sample',
  groups: ['sample'],
  effect: 'write',
  hook: 'log',
  inputSchema: {
    type: 'object',
    properties: {
      text: { type: 'string', description: 'What to write down' },
      ms: { type: 'integer', minimum: 0, default: 0, description: 'How long to take afterwards' },
    },
    required: ['text'],
    additionalProperties: false,
  },
} as const

/** Leaves a trace, and says so before it goes on. */
const markTool = defineTool({
  ...mark,
  name: 'sample.mark',
  title: 'Leave a mark',
  description: 'Writes a line into the file of effects.',
  async execute({ text, ms }, { progress, signal, toolCallId }) {
    effect(`${toolCallId} ${text}`)
    progress('marked')
    await sleep(ms, undefined, { signal })
    return succeeded(`marked ${text}`)
  },
})

const confirmedTool = defineTool({
  ...mark,
  name: 'sample.confirmed',
  title: 'Leave a mark, if somebody agrees',
  description: 'Writes a line into the file of effects, if somebody agrees.',
  hook: 'confirm',
  async execute({ text }, { toolCallId }) {
    effect(`${toolCallId} ${text}`)
    return succeeded(`marked ${text}`)
  },
})

const repeatableTool = defineTool({
  ...mark,
  name: 'sample.repeatable',
  title: 'Leave a mark that may be left twice',
  description: 'Writes a line into the file of effects; twice is as good as once.',
  idempotent: true,
  async execute({ text, ms }, { progress, toolCallId }) {
    effect(`${toolCallId} ${text}`)
    progress('marked')
    await sleep(ms)
    return succeeded(`marked ${text}`)
  },
})

/** A dot. */
export const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Brings a picture, and leaves a trace. */
const pictureTool = defineTool({
  ...mark,
  name: 'sample.picture',
  title: 'Draw a dot',
  description: 'Returns a picture of a dot.',
  async execute({ text }, { toolCallId }) {
    effect(`${toolCallId} ${text}`)
    return succeeded('A dot.', { media: [{ mimeType: 'image/png', data: dot, filename: 'dot.png' }] })
  },
})

/** Reads what strangers wrote. */
const strangersTool = defineTool({
  ...mark,
  name: 'sample.strangers',
  title: 'Read what strangers wrote',
  description: 'Returns a page of the open web.',
  effect: 'read',
  untrusted: true,
  execute: async ({ text }) => succeeded(`a page about ${text}`),
})

const postTool = defineTool({
  ...mark,
  name: 'sample.post',
  title: 'Send a postcard',
  description: 'Writes a line into the file of effects, for others to read.',
  effect: 'send',
  async execute({ text }, { toolCallId }) {
    effect(`${toolCallId} ${text}`)
    return succeeded(`sent ${text}`)
  },
})

/** As of other people's servers, as many as a test wants: QM_TEST_MANY_TOOLS. */
const manyTools = Array.from({ length: Number(process.env.QM_TEST_MANY_TOOLS ?? 0) }, (_, index) =>
  defineTool({
    ...mark,
    name: `mcp:many:tool${index}`,
    title: `Tool ${index}`,
    description: `The tool number ${index} of many.`,
    effect: 'read',
    hook: 'silent',
    execute: async ({ text }) => succeeded(`tool ${index} heard ${text}`),
  }),
)

/** Gives a part of its work to a run for each line of its text, and says what came of them. */
const delegateTool = defineTool({
  ...mark,
  name: 'sample.delegate',
  title: 'Let others do it',
  description: 'Starts a run for each line.',
  hook: 'silent',
  async execute({ text }, { toolCallId }) {
    effect(`${toolCallId} delegated`)
    return { suspend: { kind: 'runs', tasks: text.split('\n').map((task) => ({ title: `Part: ${task}`, task })) } }
  },
  async resume(_, { value }, { toolCallId }) {
    effect(`${toolCallId} gathered`)
    const ends = value as DelegatedEnd[]
    return succeeded(
      ends.map(({ title, status, output, error }) => `${title} ${status}: ${output || error}`).join('\n'),
    )
  },
})

export const watchedTools: readonly AnyTool[] = [
  delegateTool,
  ...manyTools,
  ...sampleTools,
  markTool,
  confirmedTool,
  repeatableTool,
  pictureTool,
  strangersTool,
  postTool,
]
