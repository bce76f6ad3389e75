import { createHash } from 'node:crypto'
import { estimateTokens, type MessagesRequest } from '@quartermaster/bot/offline-model'

/** How many blocks before a mark the API looks for something that it has in its cache. */
const lookBack = 20

/**
 * The API's prompt cache: what stands before a mark is kept, and a later request that begins with the same is counted
 * at a lower price. It counts the way the API does, so that a test sees whether our marks save anything.
 */
export class PromptCache {
  readonly #kept = new Set<string>()

  /** The counts of a prompt under the API's names. */
  count(request: MessagesRequest): Record<string, unknown> {
    const parts = partsOf(request)
    const marked = parts.flatMap(({ marked }, index) => (marked ? [index] : []))
    const read = Math.max(-1, ...marked.map((mark) => this.#longestKept(parts, mark)))
    const written = marked.at(-1) ?? -1
    for (const mark of marked) this.#kept.add(parts[mark]?.prefix as string)
    const tokens = (from: number, to: number) => parts.slice(from, to).reduce((sum, part) => sum + part.tokens, 0)
    const writes = tokens(read + 1, Math.max(read, written) + 1)
    return {
      input_tokens: tokens(Math.max(read, written) + 1, parts.length),
      cache_read_input_tokens: tokens(0, read + 1),
      cache_creation_input_tokens: writes,
      cache_creation: { ephemeral_5m_input_tokens: writes, ephemeral_1h_input_tokens: 0 },
    }
  }

  #longestKept(parts: readonly Part[], mark: number): number {
    for (let index = mark; index >= Math.max(0, mark - lookBack); index--)
      if (this.#kept.has(parts[index]?.prefix as string)) return index
    return -1
  }
}

interface Part {
  tokens: number
  marked: boolean
  /** Stands for everything up to here. */
  prefix: string
}

/** Tools, then instructions, then the messages block by block: the order in which the API reads them. */
function partsOf({ model, tools = [], system = [], messages }: MessagesRequest): Part[] {
  const blocks = (content: string | object[]) =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const all: object[] = [
    ...tools,
    ...blocks(system),
    ...messages.flatMap(({ role, content }) => blocks(content).map((block) => ({ role, ...block }))),
  ]
  let prefix = model
  return all.map((value) => {
    const { cache_control, ...rest } = value as { cache_control?: unknown }
    prefix = createHash('sha256').update(prefix).update(JSON.stringify(rest)).digest('hex')
    return { tokens: estimateTokens(rest), marked: Boolean(cache_control), prefix }
  })
}
