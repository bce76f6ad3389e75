// The model of a working day: it does what the last words say, in the same words every time.
import type { MessagesRequest } from '@quartermaster/bot/offline-model'
import { toApiName } from '@quartermaster/tools'

interface Part {
  type: string
  text?: string
  is_error?: boolean
  content?: unknown
}

export function answerInWords({ messages }: MessagesRequest) {
  const parts = messages.map(({ content }) =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : (content as unknown as Part[]),
  )
  const told = parts.findLastIndex((each, index) => messages[index]?.role === 'user' && each.some(isOrder))
  const [, verb, what] = order.exec(parts[told]?.findLast(isOrder)?.text ?? '') ?? []
  const result = parts
    .slice(told + 1)
    .flat()
    .findLast(({ type }) => type === 'tool_result')
  const say = (text: string) => ({ content: [{ text }] })
  const call = (tool: string, input: object) => ({ content: [{ tool: toApiName(tool), input }] })
  switch (verb) {
    case 'read':
      return result ? say(`Read ${what}.`) : call('sample.repeatable', { text: `r${what}` })
    case 'write':
      if (!result) return call('sample.confirmed', { text: `w${what}` })
      return say(result.is_error ? `Left out ${what}.` : `Written ${what}.`)
    case 'choose':
      if (!result) return call('ask_user', { question: `What for ${what}?`, options: ['Tea', 'Coffee'] })
      return say(`${/Coffee/.test(JSON.stringify(result.content)) ? 'Coffee' : 'Tea'} for ${what}.`)
    default:
      return say(`Noted ${what}.`)
  }
}

const order = /\b(echo|read|write|choose) (\S+)\s*$/
const isOrder = ({ type, text }: Part) => type === 'text' && order.test(text ?? '')
