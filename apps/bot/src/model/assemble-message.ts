import type { Anthropic } from '@anthropic-ai/sdk'
import type { BrokenToolUse, ContentBlock, ModelTurn, StopReason, ToolStart } from './model.ts'
import { type ApiUsage, type ModelUsage, parseUsage } from './usage.ts'

type StreamEvent = Anthropic.Beta.BetaRawMessageStreamEvent
type Delta = Anthropic.Beta.BetaRawContentBlockDelta

export interface AssembledMessage extends Pick<ModelTurn, 'content' | 'stopReason' | 'refusal' | 'brokenToolUses'> {
  model: string
  usage: ModelUsage
}

interface Listener {
  text(text: string): void
  toolStart(tool: ToolStart): void
}

/** A block under construction. Pieces are joined once, at its end: adding to a long string each time is quadratic. */
interface OpenBlock {
  block: Record<string, unknown> & { type: string }
  pieces: Record<string, string[]>
  ended: boolean
}

/** How much of arguments that are no JSON is kept for the model to see. */
const receivedLength = 2000

/**
 * Builds the message from the events of its stream. The SDK's own helper guesses at arguments that are cut or are no
 * JSON; half a command must never run, so here they are parsed strictly, and those that fail are named.
 */
export class MessageAssembly {
  readonly #blocks: OpenBlock[] = []
  readonly #listener: Listener
  #model = ''
  #usage: ApiUsage = {}
  #stopReason: StopReason | null = null
  #refusal: ModelTurn['refusal'] = null
  #whole = false
  /** Characters received, to estimate what an attempt cost that broke before it told. */
  #characters = 0

  constructor(listener: Listener) {
    this.#listener = listener
  }

  add(event: StreamEvent): void {
    switch (event.type) {
      case 'message_start':
        this.#model = String(event.message.model ?? '')
        this.#usage = event.message.usage ?? {}
        break
      case 'content_block_start':
        this.#start(event.index, event.content_block)
        break
      case 'content_block_delta':
        this.#append(event.index, event.delta)
        break
      case 'content_block_stop':
        this.#at(event.index).ended = true
        break
      case 'message_delta':
        this.#stopReason = event.delta.stop_reason ?? this.#stopReason
        if (event.delta.stop_details?.type === 'refusal')
          this.#refusal = {
            category: event.delta.stop_details.category ?? null,
            explanation: event.delta.stop_details.explanation ?? null,
          }
        this.#usage = mergeUsage(this.#usage, event.usage ?? {})
        break
      case 'message_stop':
        this.#whole = true
        break
      // Events of a newer API are not for us.
    }
  }

  /** The whole message, or null when the stream ended before it did. */
  finish(): AssembledMessage | null {
    if (!this.#whole || !this.#stopReason) return null
    const brokenToolUses: BrokenToolUse[] = []
    const cut = this.#stopReason === 'max_tokens' || this.#stopReason === 'model_context_window_exceeded'
    const last = this.#blocks.length - 1
    const content = this.#blocks.map((open, index) => close(open, cut && index === last, brokenToolUses))
    return {
      content,
      stopReason: this.#stopReason,
      refusal: this.#refusal,
      brokenToolUses,
      model: this.#model,
      usage: parseUsage(this.#usage),
    }
  }

  /** The model that answers, as soon as it has told. */
  get model(): string {
    return this.#model
  }

  /** What a message that never ended will be billed for, as far as one can tell. */
  usageSoFar(): ModelUsage {
    const told = parseUsage(this.#usage)
    return { ...told, outputTokens: Math.max(told.outputTokens, Math.ceil(this.#characters / 4)) }
  }

  #start(index: number, block: Anthropic.Beta.BetaContentBlock): void {
    if (index !== this.#blocks.length)
      throw new Error(`The stream skipped from block ${this.#blocks.length} to ${index}`)
    this.#blocks.push({ block: { ...block } as unknown as OpenBlock['block'], pieces: {}, ended: false })
    if (block.type === 'text' && block.text) this.#listener.text(block.text)
    if (block.type === 'tool_use' || block.type === 'server_tool_use')
      this.#listener.toolStart({ id: block.id, name: block.name, server: block.type === 'server_tool_use' })
  }

  #append(index: number, delta: Delta): void {
    const open = this.#at(index)
    const add = (field: string, piece: string) => {
      this.#characters += piece.length
      open.pieces[field] ??= []
      open.pieces[field].push(piece)
    }
    switch (delta.type) {
      case 'text_delta':
        add('text', delta.text)
        this.#listener.text(delta.text)
        break
      case 'input_json_delta':
        add('input', delta.partial_json)
        break
      case 'thinking_delta':
        add('thinking', delta.thinking)
        break
      case 'signature_delta':
        open.block.signature = delta.signature
        break
      case 'citations_delta':
        open.block.citations = [...((open.block.citations as unknown[] | null) ?? []), delta.citation]
        break
      case 'compaction_delta':
        open.block.content = delta.content
        open.block.encrypted_content = delta.encrypted_content
        break
    }
  }

  #at(index: number): OpenBlock {
    const open = this.#blocks[index]
    if (!open || open.ended) throw new Error(`The stream speaks of block ${index}, which is not open`)
    return open
  }
}

/** The counts at the end are cumulative; what they leave out stays as the start had it. */
function mergeUsage(start: ApiUsage, end: ApiUsage): ApiUsage {
  const told = Object.entries(end).filter(([, value]) => value !== null && value !== undefined)
  return { ...start, ...Object.fromEntries(told) }
}

function close({ block, pieces, ended }: OpenBlock, mayBeCut: boolean, broken: BrokenToolUse[]): ContentBlock {
  for (const field of ['text', 'thinking'])
    if (pieces[field]) block[field] = String(block[field] ?? '') + pieces[field].join('')
  if (block.type !== 'tool_use' && block.type !== 'server_tool_use') return block as unknown as ContentBlock
  const received = pieces.input?.join('') ?? ''
  const parsed = parseInput(received, !ended || mayBeCut)
  const reason = ended ? parsed.reason : 'cut'
  // What a block holds from its start on, without any pieces, is whole.
  if (received.trim() || reason) block.input = parsed.input
  if (reason && block.type === 'tool_use')
    broken.push({ id: String(block.id), name: String(block.name), reason, received: received.slice(0, receivedLength) })
  return block as unknown as ContentBlock
}

function parseInput(received: string, mayBeCut: boolean): { input: object; reason: BrokenToolUse['reason'] | null } {
  // A tool without arguments streams nothing. So does one whose answer was cut before the first of them.
  if (!received.trim()) return { input: {}, reason: mayBeCut ? 'cut' : null }
  try {
    const input: unknown = JSON.parse(received)
    if (typeof input === 'object' && input !== null && !Array.isArray(input)) return { input, reason: null }
    return { input: {}, reason: 'not_an_object' }
  } catch {
    return { input: {}, reason: mayBeCut ? 'cut' : 'not_json' }
  }
}
