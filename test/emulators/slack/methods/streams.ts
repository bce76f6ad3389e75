import { checkSources } from '../blocks/check-blocks.ts'
import { parseBlocks, parseMarkdownText, parseMetadata } from '../blocks/parse-message.ts'
import { Problems } from '../blocks/problems.ts'
import { emitChanged, messageObject } from '../events.ts'
import type { Block, Json, Message, Stream, StreamPart, Task } from '../model.ts'
import { invalidArguments, Refusal } from '../refusal.ts'
import { expireStream, ownMessage, parseThread, post } from './chat.ts'
import { type Call, type Methods, needString, writableChannel } from './method.ts'
import { parseStatus } from './sessions.ts'

/** All the text of one streamed message. */
const mostStreamed = 12_000

function invalidChunks(...problems: string[]): Refusal {
  return new Refusal('invalid_chunks', {
    response_metadata: { messages: problems.map((words) => `[ERROR] ${words}`) },
  })
}

/** What a call adds to a stream, checked before any of it is added. */
function parseParts(args: Json): (StreamPart | { plan: string })[] {
  const parts: (StreamPart | { plan: string })[] = []
  if (args.markdown_text !== undefined) parts.push({ text: parseMarkdownText(args.markdown_text) })
  if (args.chunks === undefined) return parts
  if (!Array.isArray(args.chunks)) throw invalidChunks('must be an array [json-pointer:/chunks]')
  args.chunks.forEach((value, index) => {
    parts.push(parseChunk(value, `/chunks/${index}`))
  })
  return parts
}

function parseChunk(value: unknown, at: string): StreamPart | { plan: string } {
  const problems = new Problems()
  const chunk = problems.object(at, value, true) ?? {}
  const part = ((): StreamPart | { plan: string } | null => {
    if (chunk.type === 'markdown_text') return { text: parseMarkdownText(chunk.text) }
    if (chunk.type === 'plan_update')
      return { plan: problems.string(`${at}/title`, chunk.title, { min: 1, max: 256, required: true }) }
    if (chunk.type === 'blocks') return { blocks: parseBlocks(chunk.blocks) }
    if (chunk.type !== 'task_update') return null
    problems.string(`${at}/id`, chunk.id, { min: 1, max: 255, required: true })
    problems.string(`${at}/title`, chunk.title, { min: 1, max: 256, required: true })
    problems.oneOf(`${at}/status`, chunk.status, ['pending', 'in_progress', 'complete', 'error'], true)
    problems.string(`${at}/details`, chunk.details, { max: 256 })
    problems.string(`${at}/output`, chunk.output, { max: 256 })
    checkSources(problems, `${at}/sources`, chunk.sources)
    const { type: _, ...task } = chunk
    return { task: task as unknown as Task }
  })()
  if (!part) throw invalidChunks(`unsupported type: ${chunk.type} [json-pointer:${at}/type]`)
  if (problems.found.length) throw invalidChunks(...problems.found)
  return part
}

function add(stream: Stream, parts: readonly (StreamPart | { plan: string })[]): void {
  const length = [...stream.parts, ...parts].reduce((sum, part) => sum + ('text' in part ? part.text.length : 0), 0)
  if (length > mostStreamed) throw new Refusal('msg_too_long')
  for (const part of parts) {
    const last = stream.parts.at(-1)
    if ('plan' in part) stream.planTitle = part.plan
    else if ('text' in part && last && 'text' in last) last.text += part.text
    else if ('task' in part) {
      const known = stream.parts.find((each) => 'task' in each && each.task.id === part.task.id)
      if (known && 'task' in known) mergeTask(known.task, part.task)
      else stream.parts.push(part)
    } else stream.parts.push(part)
  }
}

/** A later update changes the title and the state; what it says of details and output comes after the earlier. */
function mergeTask(task: Task, update: Task): void {
  task.title = update.title
  task.status = update.status
  if (update.details) task.details = (task.details ?? '') + update.details
  if (update.output) task.output = (task.output ?? '') + update.output
  if (update.sources) task.sources = [...(task.sources ?? []), ...update.sources]
}

/** What the message says now, as blocks and as text. */
function settle(message: Message): void {
  const stream = message.stream as Stream
  const tasks = stream.parts.flatMap((part) => ('task' in part ? [taskBlock(part.task)] : []))
  const planned = stream.mode === 'plan' && tasks.length > 0
  const plan: Block = { type: 'plan', block_id: 'plan', title: stream.planTitle ?? 'Thinking completed', tasks }
  const blocks = stream.parts.flatMap((part, index): Block[] => {
    if ('text' in part) return [{ type: 'markdown', block_id: `text${index}`, text: part.text }]
    if ('blocks' in part) return part.blocks
    return planned ? [] : [taskBlock(part.task)]
  })
  message.blocks = [...(planned ? [plan] : []), ...blocks, ...stream.finalBlocks]
  message.text = stream.parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n')
}

function taskBlock({ id, title, status, details, output, sources }: Task): Block {
  const rich = (text: string) => ({
    type: 'rich_text',
    elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
  })
  return {
    type: 'task_card',
    block_id: `task-${id}`,
    task_id: id,
    title,
    status,
    ...(details ? { details: rich(details) } : {}),
    ...(output ? { output: rich(output) } : {}),
    ...(sources ? { sources } : {}),
  }
}

/** The bot's message that is still being streamed. */
function streaming(call: Call): { channel: ReturnType<typeof writableChannel>; message: Message; stream: Stream } {
  const channel = writableChannel(call, needString(call.args, 'channel'))
  const message = ownMessage(call, channel, 'message_not_owned_by_app')
  expireStream(call.core, message)
  if (message.stream?.state !== 'in_progress') throw new Refusal('message_not_in_streaming_state')
  return { channel, message, stream: message.stream }
}

export const streamMethods: Methods = {
  'chat.startStream': {
    token: 'bot',
    scope: 'chat:write',
    tier: 2,
    run(call) {
      const { core, args } = call
      const channel = writableChannel(call, needString(args, 'channel'))
      if (channel.kind !== 'im') checkRecipient(call)
      else if (args.thread_ts === undefined)
        throw invalidArguments('missing required field: thread_ts [json-pointer:/thread_ts]')
      const { task_display_mode: mode = 'timeline' } = args
      if (mode !== 'timeline' && mode !== 'plan')
        throw invalidArguments('must be one of: timeline, plan [json-pointer:/task_display_mode]')
      const stream: Stream = {
        state: 'in_progress',
        lastAt: core.clock.now(),
        mode,
        planTitle: null,
        parts: [],
        finalBlocks: [],
      }
      add(stream, parseParts(args))
      const thread = parseThread(core, channel, args.thread_ts)
      const message = post(call, channel, { text: '', ...thread, stream })
      settle(message)
      return { channel: channel.id, ts: message.ts }
    },
  },
  'chat.appendStream': {
    token: 'bot',
    scope: 'chat:write',
    tier: 4,
    run(call) {
      const { core, args } = call
      const { channel, message, stream } = streaming(call)
      const parts = parseParts(args)
      if (!parts.length) throw new Refusal('no_text')
      add(stream, parts)
      stream.lastAt = core.clock.now()
      settle(message)
      core.world.changed()
      return { channel: channel.id, ts: message.ts }
    },
  },
  'chat.stopStream': {
    token: 'bot',
    scope: 'chat:write',
    tier: 2,
    run(call) {
      const { core, args } = call
      const { channel, message, stream } = streaming(call)
      const parts = parseParts(args)
      const blocks = args.blocks === undefined ? [] : parseBlocks(args.blocks)
      const metadata = parseMetadata(args.metadata)
      const status = args.session_status === undefined ? null : parseStatus(args.session_status)
      const previous = messageObject(core, message)
      add(stream, parts)
      stream.finalBlocks = blocks
      stream.state = 'completed'
      settle(message)
      if (metadata) message.metadata = metadata
      if (status && message.thread_ts) core.world.setSession(channel.id, message.thread_ts, { status })
      core.world.changed()
      emitChanged(core, channel, message, previous)
      return { channel: channel.id, ts: message.ts, message: messageObject(core, message) }
    },
  },
}

/** Outside a direct message Slack must be told whom the words are for. */
function checkRecipient({ core, args }: Call): void {
  if (!args.recipient_team_id) throw new Refusal('missing_recipient_team_id')
  if (!args.recipient_user_id) throw new Refusal('missing_recipient_user_id')
  const person = core.world.users.get(String(args.recipient_user_id))
  if (!person || person.teamId !== args.recipient_team_id) throw new Refusal('user_not_found')
}
