import { createHash } from 'node:crypto'
import type { Reply, ReplyBlock, RequestBlock } from './reply.ts'

export type SseEvent = { type: string } & Record<string, unknown>

/** How a reply is named and counted, beyond what it says itself. */
export interface ReplyFrame {
  model: string
  /** Makes the ids of this reply; two replies never share one. */
  seed: string
  inputUsage: Record<string, unknown>
}

/** How long the pieces are into which a text is cut. */
const pieceLength = 24

/** The events of a reply, exactly as the API streams them. */
export function* eventsOf(reply: Reply, frame: ReplyFrame): Generator<SseEvent> {
  const content = reply.content ?? []
  yield { type: 'message_start', message: { ...emptyMessage(reply, frame), usage: usageOf(reply, frame, 1) } }
  for (const [index, part] of content.entries()) {
    const { start, deltas } = openBlock(part, `${frame.seed}:${index}`)
    yield { type: 'content_block_start', index, content_block: start }
    if (index === 0) for (let ping = 0; ping < (reply.pings ?? 1); ping++) yield { type: 'ping' }
    for (const delta of deltas) yield { type: 'content_block_delta', index, delta }
    yield { type: 'content_block_stop', index }
  }
  yield {
    type: 'message_delta',
    delta: {
      stop_reason: stopReasonOf(reply),
      stop_sequence: null,
      stop_details: stopDetailsOf(reply),
      container: null,
    },
    usage: usageOf(reply, frame, outputTokens(content)),
  }
  yield { type: 'message_stop' }
}

/** The reply in one piece, for a request that does not stream. */
export function messageOf(reply: Reply, frame: ReplyFrame): Record<string, unknown> {
  const content = (reply.content ?? []).map((part, index) => wholeBlock(part, `${frame.seed}:${index}`))
  return {
    ...emptyMessage(reply, frame),
    content,
    stop_reason: stopReasonOf(reply),
    stop_details: stopDetailsOf(reply),
    usage: usageOf(reply, frame, outputTokens(reply.content ?? [])),
  }
}

function emptyMessage(reply: Reply, frame: ReplyFrame): Record<string, unknown> {
  return {
    id: `msg_${idFrom(frame.seed)}`,
    type: 'message',
    role: 'assistant',
    model: reply.model ?? frame.model,
    content: [],
    container: null,
    diagnostics: null,
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
  }
}

const stopReasonOf = (reply: Reply): string =>
  reply.stopReason ?? (reply.content?.some((part) => 'tool' in part) ? 'tool_use' : 'end_turn')

const stopDetailsOf = ({ refusal }: Reply): object | null => (refusal ? { type: 'refusal', ...refusal } : null)

function usageOf(reply: Reply, frame: ReplyFrame, output: number): Record<string, unknown> {
  return {
    cache_creation: null,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    server_tool_use: null,
    service_tier: 'standard',
    output_tokens_details: null,
    ...frame.inputUsage,
    output_tokens: output,
    ...reply.usage,
  }
}

interface OpenedBlock {
  start: RequestBlock
  deltas: Record<string, unknown>[]
}

function openBlock(part: ReplyBlock, seed: string): OpenedBlock {
  if ('text' in part)
    return {
      start: { type: 'text', text: '', citations: null },
      deltas: piecesOf(part.text).map((text) => ({ type: 'text_delta', text })),
    }
  if ('thinking' in part)
    return {
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        ...piecesOf(part.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: signatureOf(part.thinking) },
      ],
    }
  if ('block' in part) return { start: part.block, deltas: [] }
  const json = part.json ?? piecesOf(JSON.stringify(part.input ?? {}))
  return {
    start: toolUse(part, seed, {}),
    deltas: ['', ...json].map((partial_json) => ({ type: 'input_json_delta', partial_json })),
  }
}

function wholeBlock(part: ReplyBlock, seed: string): RequestBlock {
  if ('text' in part) return { type: 'text', text: piecesOf(part.text).join(''), citations: null }
  if ('thinking' in part) return { type: 'thinking', thinking: part.thinking, signature: signatureOf(part.thinking) }
  if ('block' in part) return part.block
  return toolUse(part, seed, part.input ?? {})
}

const toolUse = (part: Extract<ReplyBlock, { tool: string }>, seed: string, input: object): RequestBlock => ({
  type: 'tool_use',
  id: part.id ?? `toolu_${idFrom(seed)}`,
  name: part.tool,
  input,
  caller: { type: 'direct' },
})

function piecesOf(text: string | readonly string[]): readonly string[] {
  if (typeof text !== 'string') return text
  // By characters, not by halves of them.
  const characters = [...text]
  const pieces: string[] = []
  for (let at = 0; at < characters.length; at += pieceLength)
    pieces.push(characters.slice(at, at + pieceLength).join(''))
  return pieces
}

function outputTokens(content: readonly ReplyBlock[]): number {
  return estimateTokens(content.map((part) => ('text' in part ? piecesOf(part.text).join('') : part))) + 1
}

/** A rough count that is the same each time: four characters a token. */
export const estimateTokens = (value: unknown): number => Math.ceil(JSON.stringify(value ?? '').length / 4)

const idFrom = (seed: string): string => createHash('sha256').update(seed).digest('hex').slice(0, 24)
const signatureOf = (thinking: string): string => createHash('sha256').update(thinking).digest('base64')
