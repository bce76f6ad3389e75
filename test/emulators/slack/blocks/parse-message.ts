import { randomBytes } from 'node:crypto'
import type { Block, Json } from '../model.ts'
import { Refusal } from '../refusal.ts'
import { checkBlocks, mostMarkdown } from './check-blocks.ts'
import { Problems } from './problems.ts'

/** Beyond this a text is cut, without a word. */
const mostText = 40_000
/**
 * All texts of a message together, and what each block adds to them; people measured where Slack answers
 * `msg_blocks_too_long` (about 13,200 characters, less the more blocks there are).
 */
const mostTogether = 13_240
const perBlock = 40
const mostMetadataBytes = 16 * 1024

export interface Content {
  text: string
  blocks?: Block[]
  attachments?: Json[]
  metadata?: { event_type: string; event_payload: Json }
}

/** What a message says, from the arguments of `chat.postMessage` and its like. */
export function parseContent(args: Json): Content {
  const { markdown_text } = args
  const given = typeof args.text === 'string' ? args.text : ''
  const attachments = parseAttachments(args.attachments)
  if (markdown_text !== undefined) {
    if (args.blocks !== undefined || given) throw new Refusal('markdown_text_conflict')
    return {
      text: parseMarkdownText(markdown_text),
      blocks: [{ type: 'markdown', text: String(markdown_text), block_id: blockId() }],
    }
  }
  const blocks = args.blocks === undefined ? undefined : parseBlocks(args.blocks)
  if (!given.trim() && !blocks?.length && !attachments?.length) throw new Refusal('no_text')
  return {
    text: given.slice(0, mostText),
    ...(blocks?.length ? { blocks } : {}),
    ...(attachments?.length ? { attachments } : {}),
  }
}

export function parseMarkdownText(value: unknown): string {
  if (typeof value !== 'string' || !value) throw new Refusal('no_text')
  if (value.length > mostMarkdown) throw new Refusal('msg_too_long')
  return value
}

/** Checks the blocks of a message and gives an id to each that has none, as Slack does. */
export function parseBlocks(value: unknown): Block[] {
  if (!Array.isArray(value)) throw new Refusal('invalid_blocks_format')
  const problems = new Problems()
  checkBlocks(problems, '/blocks', value, 'message')
  if (problems.found.length)
    throw new Refusal('invalid_blocks', {
      errors: problems.found,
      response_metadata: { messages: problems.found.map((words) => `[ERROR] ${words}`) },
    })
  const blocks = value as Block[]
  const markdown = blocks.reduce((sum, block) => sum + (block.type === 'markdown' ? String(block.text).length : 0), 0)
  if (markdown > mostMarkdown || countText(blocks) + perBlock * blocks.length > mostTogether)
    throw new Refusal('msg_blocks_too_long')
  return blocks.map(withId)
}

/** Gives an id to a block that has none and to each of its elements. */
export function withId(block: Block): Block {
  const element = (value: unknown): unknown => {
    const inner = value as Json
    const acts = typeof inner?.type === 'string' && !['image', 'plain_text', 'mrkdwn'].includes(inner.type)
    return acts && inner.action_id === undefined && !String(inner.type).startsWith('rich_text')
      ? { ...inner, action_id: blockId() }
      : value
  }
  const named: Block = { ...block, block_id: block.block_id ?? blockId() }
  if (Array.isArray(named.elements)) named.elements = named.elements.map(element)
  if (named.accessory) named.accessory = element(named.accessory)
  if (named.element) named.element = element(named.element)
  return named
}

export function parseMetadata(value: unknown): Content['metadata'] {
  if (value === undefined) return undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Refusal('invalid_metadata_format')
  const { event_type, event_payload } = value as Json
  if (event_type === undefined && event_payload === undefined) return undefined
  if (typeof event_type !== 'string' || !/^\w+$/.test(event_type)) throw new Refusal('invalid_metadata_format')
  if (typeof event_payload !== 'object' || event_payload === null || Array.isArray(event_payload))
    throw new Refusal('invalid_metadata_format')
  if (Object.values(event_payload).some((inner) => inner === null)) throw new Refusal('invalid_metadata_schema')
  if (Buffer.byteLength(JSON.stringify(event_payload)) > mostMetadataBytes) throw new Refusal('metadata_too_large')
  return { event_type, event_payload: event_payload as Json }
}

function parseAttachments(value: unknown): Json[] | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value)) throw new Refusal('invalid_attachments')
  if (value.length > 100) throw new Refusal('too_many_attachments')
  return value as Json[]
}

/** Every string that stands under `text`, however deep. */
function countText(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, inner) => sum + countText(inner), 0)
  if (typeof value !== 'object' || value === null) return 0
  return Object.entries(value as Json).reduce(
    (sum, [key, inner]) => sum + (key === 'text' && typeof inner === 'string' ? inner.length : countText(inner)),
    0,
  )
}

function blockId(): string {
  return randomBytes(4).toString('base64url').slice(0, 5)
}
