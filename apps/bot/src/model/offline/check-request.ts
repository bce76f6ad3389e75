// What the Messages API refuses, in its own words. The offline model and the emulator of the tests use the same checks,
// so whatever works against them is a request that the real API takes.

import { checkConversation } from './check-conversation.ts'
import { checkTools } from './check-tools.ts'
import { type Fields, isFields, oneOf, Refused } from './refused.ts'
import type { Refusal } from './serve-messages.ts'

export interface CheckOptions {
  /** Values of the `anthropic-beta` header. */
  betas: readonly string[]
  /** The models there are; null takes any name. */
  models: readonly string[] | null
  maxOutputTokens: number
}

const plainFields = [
  'cache_control',
  'container',
  'diagnostics',
  'inference_geo',
  'max_tokens',
  'messages',
  'metadata',
  'model',
  'output_config',
  'service_tier',
  'speed',
  'stop_sequences',
  'stream',
  'system',
  'thinking',
  'tool_choice',
  'tools',
]
const editsBeta = 'context-management-2025-06-27'
/** Edits that the API knows, and the beta that each needs. */
const edits: Readonly<Record<string, string>> = {
  clear_tool_uses_20250919: editsBeta,
  clear_thinking_20251015: editsBeta,
  compact_20260112: 'compact-2026-01-12',
}
const maxMarks = 4

/** Null for a request that the API would take. */
export function checkRequest(body: unknown, options: CheckOptions): Refusal | null {
  try {
    if (!isFields(body)) throw new Refused('Input should be a valid dictionary')
    checkFields(body, options)
    checkModel(body, options)
    checkSettings(body)
    checkSystem(body.system)
    checkTools(body)
    checkConversation(body.messages, body.tools)
    checkMarks(body)
    checkEdits(body.context_management, options)
    return null
  } catch (error) {
    if (error instanceof Refused) return error.refusal
    throw error
  }
}

function checkFields(body: Fields, { betas }: CheckOptions): void {
  const allowed = betas.includes(editsBeta) ? [...plainFields, 'context_management'] : plainFields
  for (const name of Object.keys(body))
    if (!allowed.includes(name)) throw new Refused(`${name}: Extra inputs are not permitted`)
  for (const name of ['model', 'max_tokens', 'messages'])
    if (body[name] === undefined) throw new Refused(`${name}: Field required`)
}

function checkModel({ model, max_tokens }: Fields, { models, maxOutputTokens }: CheckOptions): void {
  if (typeof model !== 'string' || !model) throw new Refused('model: Input should be a valid string')
  if (models && !models.includes(model)) throw new Refused(`model: ${model}`, 404, 'not_found_error')
  if (!Number.isSafeInteger(max_tokens)) throw new Refused('max_tokens: Input should be a valid integer')
  if ((max_tokens as number) < 0) throw new Refused('max_tokens: Input should be greater than or equal to 0')
  if ((max_tokens as number) > maxOutputTokens)
    throw new Refused(
      `max_tokens: ${max_tokens} > ${maxOutputTokens}, which is the maximum allowed number of output tokens for ${model}`,
    )
}

function checkSettings({ stream, thinking, output_config, metadata }: Fields): void {
  if (stream !== undefined && typeof stream !== 'boolean') throw new Refused('stream: Input should be a valid boolean')
  if (thinking !== undefined) {
    if (!isFields(thinking)) throw new Refused('thinking: Input should be a valid dictionary')
    oneOf(thinking.type, ['adaptive', 'between_tools', 'disabled', 'enabled'], 'thinking.type')
  }
  if (isFields(output_config) && output_config.effort)
    oneOf(output_config.effort, ['low', 'medium', 'high', 'xhigh', 'max'], 'output_config.effort')
  if (metadata !== undefined)
    for (const name of Object.keys(isFields(metadata) ? metadata : { metadata }))
      if (name !== 'user_id') throw new Refused(`metadata.${name}: Extra inputs are not permitted`)
}

function checkSystem(system: unknown): void {
  if (system === undefined || typeof system === 'string') return
  if (!Array.isArray(system)) throw new Refused('system: Input should be a valid list')
  for (const [index, block] of system.entries()) {
    if (!isFields(block) || block.type !== 'text') throw new Refused(`system.${index}.type: Input should be 'text'`)
    if (!block.text) throw new Refused(`system: text content blocks must be non-empty`)
  }
}

function checkMarks(body: Fields): void {
  const blocks = (list: unknown): Fields[] => (Array.isArray(list) ? list.filter(isFields) : [])
  const content = blocks(body.messages).flatMap((message) => blocks(message.content))
  const inside = content.flatMap((block) => blocks(block.content))
  const marked = [...blocks(body.tools), ...blocks(body.system), ...content, ...inside].filter(
    (part) => part.cache_control,
  )
  for (const block of marked) {
    const mark = block.cache_control as Fields
    if (mark.type !== 'ephemeral') throw new Refused("cache_control.type: Input should be 'ephemeral'")
    if (mark.ttl !== undefined) oneOf(mark.ttl, ['5m', '1h'], 'cache_control.ttl')
    if (block.type === 'thinking' || block.type === 'redacted_thinking')
      throw new Refused('cache_control cannot be set for thinking blocks')
    if (block.type === 'text' && !block.text) throw new Refused('cache_control cannot be set for empty text blocks')
    if (block.defer_loading) throw new Refused('Tools with defer_loading=true cannot have cache_control set')
  }
  const count = marked.length + (body.cache_control ? 1 : 0)
  if (count > maxMarks)
    throw new Refused(`A maximum of ${maxMarks} blocks with cache_control may be provided. Found ${count}.`)
}

function checkEdits(config: unknown, { betas }: CheckOptions): void {
  if (config === undefined || config === null) return
  const list = isFields(config) ? (config.edits ?? []) : null
  if (!Array.isArray(list)) throw new Refused('context_management.edits: Input should be a valid list')
  for (const [index, edit] of list.entries()) {
    const path = `context_management.edits.${index}`
    const type = isFields(edit) ? String(edit.type) : ''
    if (!Object.hasOwn(edits, type)) throw new Refused(`${path}: Input tag '${type}' found using 'type' does not match`)
    if (!betas.includes(edits[type] as string))
      throw new Refused(`${path}: ${type} requires the beta header ${edits[type]}`)
  }
}
