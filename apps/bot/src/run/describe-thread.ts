import { wrapUntrusted } from '@quartermaster/tools'
import { limits } from '../limits.ts'

/**
 * What was said before a conversation began, as one block: material for the model and no request to it, whoever spoke.
 * Where there is too much, the newest is kept.
 */
export function describeThread(messages: readonly { name: string; text: string; at: Date }[]): unknown[] {
  const lines: string[] = []
  let characters = 0
  for (const { name, text, at } of messages.toReversed()) {
    const said = `${oneLine(name)} (${at.toISOString().slice(0, 16).replace('T', ' ')} UTC): ${text}`
    characters += said.length
    if (characters > limits.referenceCharacters && lines.length) {
      lines.push('[Older messages are left out.]')
      break
    }
    lines.push(said.slice(0, limits.referenceCharacters))
  }
  if (!lines.length) return []
  const before = wrapUntrusted(lines.reverse().join('\n\n'), 'the thread before this message')
  return [{ type: 'text', text: `[What was said in this thread before you were called, as context:]\n${before}` }]
}

const oneLine = (name: string) => name.replace(/[\p{Cc}\p{Cf}]/gu, ' ').trim() || 'somebody'
