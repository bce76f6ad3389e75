// From the transcript to what the model is sent. The transcript is the order in which things were written down; the API
// wants turns that alternate, and every tool use answered right after it.
//
// - What people wrote while the model was answering comes after that answer: it had not read it (`turn.seen`).
// - Messages of one side that follow each other become one, tool results first.
// - A tool use that has no result (its run was stopped) is answered here, and a result that answers nothing is left out.
import type { TranscriptMessage } from '@quartermaster/db'
import type { ModelMessage } from '../model/index.ts'

type Block = Record<string, unknown> & { type: string }

/** In the order in which the model met them. */
export function orderTranscript(messages: readonly TranscriptMessage[]): TranscriptMessage[] {
  const ordered: TranscriptMessage[] = []
  for (const message of messages) {
    const seen = message.turn?.seen
    let at = ordered.length
    // Only people's messages are passed: what the run itself wrote was always seen.
    while (seen !== undefined && at > 0 && isUnseen(ordered[at - 1] as TranscriptMessage, seen)) at--
    ordered.splice(at, 0, message)
  }
  return ordered
}

const isUnseen = (message: TranscriptMessage, seen: number): boolean => message.role === 'user' && message.number > seen

export function buildMessages(messages: readonly TranscriptMessage[]): ModelMessage[] {
  const turns: { role: 'user' | 'assistant'; content: Block[] }[] = []
  for (const message of orderTranscript(messages)) {
    const content = toBlocks(message.content)
    if (!content.length) continue
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const last = turns.at(-1)
    if (last?.role !== role) turns.push({ role, content: [...content] })
    // The model goes on after a pause: its two halves are one answer.
    else if (role === 'user' || wasPaused(messages, message)) last.content.push(...content)
    else turns.push({ role: 'user', content: [goOn] }, { role, content: [...content] })
  }
  // What was cut is asked for with the words that will stand between its two parts: the API takes no answer as the last.
  const answer = messages.findLast(({ role }) => role === 'assistant')
  if (turns.at(-1)?.role === 'assistant' && answer?.turn?.stopReason === 'max_tokens')
    turns.push({ role: 'user', content: [goOn] })
  // The API wants people to begin, and a history that was cut may begin with an answer.
  while (turns[0]?.role === 'assistant') turns.shift()
  return answerEveryUse(turns) as unknown as ModelMessage[]
}

/** What is said where an answer was cut and the model is asked for the rest. */
export const goOn: Block = { type: 'text', text: 'Your answer was cut. Go on exactly where it stopped.' }

function wasPaused(messages: readonly TranscriptMessage[], message: TranscriptMessage): boolean {
  const before = messages.findLast((one) => one.number < message.number && one.role === 'assistant')
  return before?.turn?.stopReason === 'pause_turn'
}

export function toBlocks(content: unknown): Block[] {
  if (typeof content === 'string') return content ? [{ type: 'text', text: content }] : []
  if (!Array.isArray(content)) return []
  // The API refuses a text that is empty. A reference is for us to follow (resolve-references.ts) and not for the model.
  return content.filter(
    (block) =>
      isBlock(block) && block.type !== 'reference' && !(block.type === 'text' && !String(block.text ?? '').trim()),
  )
}

const isBlock = (value: unknown): value is Block =>
  typeof value === 'object' && value !== null && typeof (value as Block).type === 'string'

function answerEveryUse(turns: { role: 'user' | 'assistant'; content: Block[] }[]) {
  const answered: typeof turns = []
  for (const [index, turn] of turns.entries()) {
    if (turn.role === 'assistant') {
      answered.push(turn)
      const uses = toolUsesIn(turn.content)
      // The last answer's uses are being settled; there is a turn after it whenever the model is asked.
      if (uses.length && turns[index + 1] === undefined) answered.push({ role: 'user', content: uses.map(unanswered) })
      continue
    }
    const uses = toolUsesIn(turns[index - 1]?.content ?? [])
    const results = uses.map(
      (use) =>
        turn.content.find((block) => block.type === 'tool_result' && block.tool_use_id === use.id) ?? unanswered(use),
    )
    const rest = turn.content.filter((block) => block.type !== 'tool_result')
    if (results.length + rest.length) answered.push({ role: 'user', content: [...results, ...rest] })
  }
  return answered
}

export const toolUsesIn = (content: readonly Block[]): (Block & { id: string; name: string; input: unknown })[] =>
  content.filter((block) => block.type === 'tool_use') as ReturnType<typeof toolUsesIn>

const unanswered = (use: { id: string }): Block => ({
  type: 'tool_result',
  tool_use_id: use.id,
  is_error: true,
  content: 'This call has no result: the run ended before it did.',
})
