import type { Anthropic } from '@anthropic-ai/sdk'
import type { ModelMessage } from './model.ts'

type Block = Anthropic.Beta.BetaContentBlockParam
type ToolResult = Anthropic.Beta.BetaToolResultBlockParam

interface Step {
  /** How many of the last tool results stay. */
  results: number
  /** How many of the last turns stay; a turn begins where a person speaks. */
  turns: number
  /** How many of the model's last messages stay, with the results of the tools they asked for. */
  answers: number
  /** How many characters of a text stay. */
  longest: number
  media: boolean
}

const all = Number.POSITIVE_INFINITY
/** What each step leaves in the conversation. */
const steps: readonly Step[] = [
  { results: all, turns: all, answers: all, longest: all, media: true },
  { results: 10, turns: all, answers: all, longest: all, media: true },
  { results: 3, turns: all, answers: all, longest: 100_000, media: false },
  { results: 1, turns: 10, answers: 50, longest: 20_000, media: false },
  { results: 1, turns: 3, answers: 15, longest: 8_000, media: false },
  { results: 0, turns: 1, answers: 4, longest: 2_000, media: false },
]
export const lastContextStep = steps.length - 1

export const leavesOutMedia = (contextStep: number): boolean => !stepOf(contextStep).media

const stepOf = (contextStep: number): Step => steps[Math.min(Math.max(contextStep, 0), lastContextStep)] as Step

const resultLeftOut = '[This result was left out to make room. Run the tool again if it is needed.]'
const turnsLeftOut = '[The beginning of this conversation was left out to make room.]'
const mediaLeftOut = '[A picture or document was left out to make room.]'

/**
 * The conversation with less in it: first the oldest tool results, then also pictures and the middle of very long
 * texts, at last the oldest turns and answers; what people said stays longest. The outcome depends on the messages and
 * the step alone. Every `tool_use` keeps its `tool_result` and the other way round, and a person speaks first.
 */
export function shrinkMessages(messages: readonly ModelMessage[], contextStep: number): ModelMessage[] {
  const step = stepOf(contextStep)
  if (step === steps[0]) return [...messages]
  const kept = keepLastAnswers(keepLastTurns(messages, step.turns), step.answers)
  const results = kept.flatMap(({ content }) =>
    Array.isArray(content) ? content.filter(({ type }) => type === 'tool_result') : [],
  )
  const old = new Set(results.slice(0, Math.max(0, results.length - step.results)))
  return kept.map((message, index) => {
    if (message.role === 'system') return message
    if (typeof message.content === 'string') return { ...message, content: shorten(message.content, step.longest) }
    const mediaStay = step.media || index === kept.length - 1
    return { ...message, content: message.content.map((block) => shrinkBlock(block, step, old, mediaStay)) }
  })
}

function shrinkBlock(block: Block, step: Step, old: ReadonlySet<Block>, mediaStay: boolean): Block {
  if (block.type === 'tool_result') return shrinkResult(block, old.has(block), step.longest)
  if (block.type === 'text') return { ...block, text: shorten(block.text, step.longest) }
  if (block.type === 'tool_use') return { ...block, input: shortenArguments(block.input, step.longest) }
  if ((block.type === 'image' || block.type === 'document') && !mediaStay) return { type: 'text', text: mediaLeftOut }
  return block
}

function shortenArguments(input: unknown, longest: number): unknown {
  if (typeof input !== 'object' || input === null) return input
  const shortened = Object.entries(input).map(([name, value]) => [
    name,
    typeof value === 'string' ? shorten(value, longest) : value,
  ])
  return Object.fromEntries(shortened)
}

/** Before the last `answers` messages of the model, only what people said stays. */
function keepLastAnswers(messages: ModelMessage[], answers: number): ModelMessage[] {
  const spoken = messages.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []))
  const cut = spoken.length > answers ? (spoken[spoken.length - answers] as number) : 0
  const earlier = messages.slice(0, cut).flatMap((message): ModelMessage[] => {
    if (message.role !== 'user') return []
    if (typeof message.content === 'string') return [message]
    const content = message.content.filter(({ type }) => type !== 'tool_result')
    return content.length ? [{ ...message, content }] : []
  })
  return [...earlier, ...messages.slice(cut)]
}

function shrinkResult(block: ToolResult, leftOut: boolean, longest: number): ToolResult {
  if (leftOut) return { ...block, content: resultLeftOut }
  const { content } = block
  if (typeof content === 'string') return { ...block, content: shorten(content, longest) }
  if (!content) return block
  return {
    ...block,
    content: content.map((part) => (part.type === 'text' ? { ...part, text: shorten(part.text, longest) } : part)),
  }
}

function keepLastTurns(messages: readonly ModelMessage[], turns: number): ModelMessage[] {
  const starts = messages.flatMap((message, index) => (isTurnStart(message) ? [index] : []))
  if (starts.length <= turns) return [...messages]
  const [first, ...rest] = messages.slice(starts[starts.length - turns])
  if (first?.role !== 'user') return [...messages]
  const content: Block[] =
    typeof first.content === 'string' ? [{ type: 'text', text: first.content }] : [...first.content]
  return [{ ...first, content: [{ type: 'text', text: turnsLeftOut }, ...content] }, ...rest]
}

/** A user's message that answers no tool. */
const isTurnStart = ({ role, content }: ModelMessage): boolean =>
  role === 'user' && !(Array.isArray(content) && content.some(({ type }) => type === 'tool_result'))

/** The beginning and the end of a text say the most about it. */
function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text
  const half = Math.floor(longest / 2)
  // The two parts must not begin or end in the middle of a character.
  const head = text.slice(0, half).replace(/[\ud800-\udbff]$/, '')
  const tail = text.slice(-half).replace(/^[\udc00-\udfff]/, '')
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`
}
