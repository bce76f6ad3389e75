import { type Fields, isFields, oneOf, Refused } from './refused.ts'

const toolName = /^[a-zA-Z0-9_-]{1,64}$/
const toolUseId = /^[a-zA-Z0-9_-]+$/

/** Blocks that only one side may send; what the API's own tools leave in an answer may stand there again. */
const userOnly = ['tool_result', 'image', 'document', 'search_result']
const assistantOnly = ['tool_use', 'thinking', 'redacted_thinking', 'server_tool_use', 'compaction']
const serverResult = /_tool_result$/

export function checkConversation(messages: unknown, tools: unknown): void {
  if (!Array.isArray(messages)) throw new Refused('messages: Input should be a valid list')
  if (!messages.length) throw new Refused('messages: at least one message is required')
  if (messages.length > 100_000) throw new Refused('messages: List should have at most 100000 items')
  const turns = messages.map(parseMessage)
  if (turns[0]?.role !== 'user') throw new Refused('messages: first message must use the "user" role')
  checkPairs(turns)
  checkServerPairs(turns)
  checkReferences(turns, tools)
  const last = turns.at(-1) as Turn
  // A paused answer is sent back to go on; it ends in the middle of the API's own tools.
  const paused = /^server_tool_use$|_tool_result$/.test(String(last.content.at(-1)?.type))
  if (last.role === 'assistant' && !paused)
    throw new Refused(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    )
}

interface Turn {
  role: 'user' | 'assistant' | 'system'
  content: Fields[]
}

function parseMessage(message: unknown, index: number): Turn {
  const path = `messages.${index}`
  if (!isFields(message)) throw new Refused(`${path}: Input should be a valid dictionary`)
  oneOf(message.role, ['user', 'assistant', 'system'], `${path}.role`)
  for (const name of Object.keys(message))
    if (name !== 'role' && name !== 'content') throw new Refused(`${path}.${name}: Extra inputs are not permitted`)
  const role = message.role as Turn['role']
  const content = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
  if (!Array.isArray(content)) throw new Refused(`${path}.content: Input should be a valid list`)
  if (!content.length) throw new Refused(`${path}: all messages must have non-empty content`)
  for (const [at, block] of content.entries()) checkBlock(block, role, `${path}.content.${at}`)
  return { role, content }
}

function checkBlock(block: unknown, role: Turn['role'], path: string): void {
  if (!isFields(block) || typeof block.type !== 'string') throw new Refused(`${path}.type: Field required`)
  const { type } = block
  if (role === 'user' && assistantOnly.includes(type))
    throw new Refused(`${path}: \`${type}\` blocks can only be in \`assistant\` messages`)
  if (role !== 'user' && userOnly.includes(type))
    throw new Refused(`${path}: \`${type}\` blocks can only be in \`user\` messages`)
  if (type === 'text') checkText(block, path)
  else if (type === 'tool_use' || type === 'server_tool_use') checkToolUse(block, path)
  else if (type === 'tool_result') checkToolResult(block, path)
  else if (type === 'thinking') {
    if (typeof block.signature !== 'string' || !block.signature)
      throw new Refused(`${path}.thinking.signature: Field required`)
  } else if (!userOnly.includes(type) && !assistantOnly.includes(type) && !serverResult.test(type))
    throw new Refused(`${path}: Input tag '${type}' found using 'type' does not match any of the expected tags`)
}

function checkText({ text }: Fields, path: string): void {
  if (typeof text !== 'string') throw new Refused(`${path}.text.text: Field required`)
  if (!text) throw new Refused('messages: text content blocks must be non-empty')
  if (!text.trim()) throw new Refused('messages: text content blocks must contain non-whitespace text')
}

function checkToolUse({ id, name, input }: Fields, path: string): void {
  if (typeof id !== 'string' || !toolUseId.test(id))
    throw new Refused(`${path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`)
  if (typeof name !== 'string' || !toolName.test(name))
    throw new Refused(`${path}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`)
  if (!isFields(input)) throw new Refused(`${path}.tool_use.input: Input should be a valid dictionary`)
}

function checkToolResult({ tool_use_id, content }: Fields, path: string): void {
  if (typeof tool_use_id !== 'string') throw new Refused(`${path}.tool_result.tool_use_id: Field required`)
  if (content === undefined || typeof content === 'string') return
  if (!Array.isArray(content)) throw new Refused(`${path}.tool_result.content: Input should be a valid list`)
  for (const part of content) if (isFields(part) && part.type === 'text') checkText(part, path)
}

/** Every tool that was asked for has exactly one result, in the next message and before anything else in it. */
function checkPairs(turns: readonly Turn[]): void {
  const seen = new Set<string>()
  const merged = mergeTurns(turns)
  for (const [at, { role, content, index }] of merged.entries()) {
    if (role === 'assistant') {
      const asked = content.filter(({ type }) => type === 'tool_use').map(({ id }) => id as string)
      for (const id of asked) {
        if (seen.has(id)) throw new Refused(`messages.${index}: \`tool_use\` ids must be unique`)
        seen.add(id)
      }
      const answered = resultIds(merged[at + 1])
      const missing = asked.filter((id) => !answered.includes(id))
      if (missing.length)
        throw new Refused(
          `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
        )
    } else checkResults(content, index, merged[at - 1])
  }
}

function checkResults(content: readonly Fields[], index: number, before: Merged | undefined): void {
  const asked = (before?.content ?? []).filter(({ type }) => type === 'tool_use').map(({ id }) => id)
  const answered = new Set<unknown>()
  for (const { type, tool_use_id } of content) {
    if (type !== 'tool_result') continue
    if (!asked.includes(tool_use_id))
      throw new Refused(
        `messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      )
    if (answered.has(tool_use_id))
      throw new Refused(
        `messages.${index}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${tool_use_id}`,
      )
    answered.add(tool_use_id)
  }
}

/** What the API's own tools were asked for has its result in the same answer, unless that is still to be gone on with. */
function checkServerPairs(turns: readonly Turn[]): void {
  for (const { role, content, index } of mergeTurns(turns).slice(0, -1)) {
    if (role !== 'assistant') continue
    for (const { type, name, id } of content)
      if (type === 'server_tool_use' && !content.some((block) => block.tool_use_id === id))
        throw new Refused(
          `messages.${index}: \`${name}\` tool use with id \`${id}\` was found without a corresponding \`${name}_tool_result\` block`,
        )
  }
}

function checkReferences(turns: readonly Turn[], tools: unknown): void {
  const names = new Set(Array.isArray(tools) ? tools.map((tool) => isFields(tool) && tool.name) : [])
  for (const { content } of turns)
    for (const block of content) {
      if (block.type !== 'tool_search_tool_result' || !isFields(block.content)) continue
      for (const reference of [block.content.tool_references ?? []].flat())
        if (isFields(reference) && !names.has(reference.tool_name as string))
          throw new Refused(`Tool reference '${reference.tool_name}' not found in available tools`)
    }
}

interface Merged extends Turn {
  /** Where the first of them stood. */
  index: number
}

/** The API reads messages of one side that follow each other as one. */
function mergeTurns(turns: readonly Turn[]): Merged[] {
  const merged: Merged[] = []
  for (const [index, { role, content }] of turns.entries()) {
    if (role === 'system') continue
    const last = merged.at(-1)
    if (last?.role === role) last.content = [...last.content, ...content]
    else merged.push({ role, content, index })
  }
  return merged
}

/** Results count only where nothing stands before them. */
function resultIds(turn: Merged | undefined): unknown[] {
  if (turn?.role !== 'user') return []
  const end = turn.content.findIndex(({ type }) => type !== 'tool_result')
  return turn.content.slice(0, end < 0 ? undefined : end).map(({ tool_use_id }) => tool_use_id)
}
