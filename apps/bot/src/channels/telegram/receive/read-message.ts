// What a person sent, as the rest of the bot understands it: Markdown, files to fetch later, and whether it is meant for
// us. Telegram's entities say where there is code, a link or a mention; nothing is searched for in the text.
import type { Message, MessageEntity } from '@grammyjs/types'
import type { ChatReference } from '../../../chat/chat-services.ts'
import { commandNames } from '../connect/set-up-bot.ts'
import type { TelegramSelf } from '../connect/telegram-connection.ts'
import { readFiles } from './read-files.ts'

export interface ReadMessage {
  text: string
  references: ChatReference[]
  /** In a group: it mentions us, answers us, or is a command of ours. */
  isAddressed: boolean
}

type Self = Pick<TelegramSelf, 'botId' | 'username'>

/** Null for what says nothing: somebody joined, a message was pinned. `messages` are one message, or an album. */
export function readMessage(messages: readonly [Message, ...Message[]], self: Self): ReadMessage | null {
  const [first] = messages
  const command = readCommand(first, self)
  if (command === 'of-another-bot') return null
  if (command) return { text: command, references: [], isAddressed: true }
  const texts = messages.map((message) => textOf(message, self)).filter((text) => text !== '')
  const references = messages.flatMap(readFiles)
  if (!texts.length && !references.length) return null
  const said = texts.join('\n\n')
  const context = contextOf(first, self)
  return {
    // What is run or commanded begins the text; nothing is put before it.
    text: /^[!/]/.test(said) || !context.text ? said : `${context.text}\n\n${said}`,
    references: [...references, ...context.references],
    isAddressed: messages.some((message) => mentions(message, self)) || isReplyTo(first, self),
  }
}

/** `/status@quartermaster_bot now` as `/status now`. */
function readCommand(message: Message, self: Self): string | 'of-another-bot' | null {
  const text = message.text ?? ''
  const entity = message.entities?.find(({ type, offset }) => type === 'bot_command' && offset === 0)
  if (!entity) return null
  const [name = '', bot] = text.slice(1, entity.length).split('@')
  if (bot !== undefined && !isSameName(bot, self.username)) return 'of-another-bot'
  const isPrivate = message.chat.type === 'private'
  // A command without a name in a group is for whichever bot has it.
  if (!isPrivate && bot === undefined && !commandNames.has(name.toLowerCase())) return 'of-another-bot'
  const argument = text.slice(entity.length).trim()
  // The link that the console shows opens the chat with "/start CODE".
  if (name.toLowerCase() === 'start') return argument ? `/link ${argument}` : '/help'
  return `/${name.toLowerCase()}${argument ? ` ${argument}` : ''}`
}

const isSameName = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

function isReplyTo({ reply_to_message }: Message, self: Self): boolean {
  // Every message in a topic "replies" to the one that opened it.
  return reply_to_message?.from?.id === self.botId && !reply_to_message.forum_topic_created
}

const entitiesOf = (message: Message): readonly MessageEntity[] => message.entities ?? message.caption_entities ?? []

function mentions(message: Message, self: Self): boolean {
  const text = message.text ?? message.caption ?? ''
  return entitiesOf(message).some((entity) => isMentionOf(entity, text, self))
}

function isMentionOf(entity: MessageEntity, text: string, self: Self): boolean {
  if (entity.type === 'text_mention') return entity.user.id === self.botId
  const { offset, length } = entity
  return entity.type === 'mention' && isSameName(text.slice(offset + 1, offset + length), self.username)
}

/** What was said, as Markdown; what is not text in words. */
export function textOf(message: Message, self: Self): string {
  const text = message.text ?? message.caption
  if (text !== undefined) return renderEntities(text, entitiesOf(message), self).trim()
  if (message.rich_message) return plainTextOf(message.rich_message.blocks).trim()
  if (message.sticker) return message.sticker.emoji ?? ''
  if (message.venue)
    return `Place: ${message.venue.title}, ${message.venue.address} (${coordinates(message.venue.location)})`
  if (message.location) return `Location: ${coordinates(message.location)}`
  if (message.contact) {
    const { first_name, last_name, phone_number } = message.contact
    return `Contact: ${[first_name, last_name].filter(Boolean).join(' ')}, ${phone_number}`
  }
  if (message.poll)
    return `Poll: ${message.poll.question} (${message.poll.options.map((each) => each.text).join(', ')})`
  return ''
}

const coordinates = ({ latitude, longitude }: { latitude: number; longitude: number }) => `${latitude}, ${longitude}`

/** Code and links as Markdown; the mention of the bot itself goes. Bold and italics say nothing that the words do not. */
function renderEntities(text: string, entities: readonly MessageEntity[], self: Self): string {
  let rendered = ''
  let at = 0
  for (const entity of [...entities].sort((a, b) => a.offset - b.offset)) {
    if (entity.offset < at) continue // Inside of one that was rendered.
    const inner = text.slice(entity.offset, entity.offset + entity.length)
    const markdown = isMentionOf(entity, text, self) ? '' : renderEntity(entity, inner)
    if (markdown === null) continue
    rendered += text.slice(at, entity.offset) + markdown
    at = entity.offset + entity.length
  }
  return rendered + text.slice(at)
}

function renderEntity(entity: MessageEntity, inner: string): string | null {
  switch (entity.type) {
    case 'code':
      return `\`${inner}\``
    case 'pre':
      return `\n\`\`\`${entity.language ?? ''}\n${inner}\n\`\`\`\n`
    case 'text_link':
      return `[${inner}](${entity.url})`
    default:
      return null
  }
}

/** The words of a rich message, wherever they stand in it. */
function plainTextOf(part: unknown): string {
  if (typeof part === 'string') return part
  if (Array.isArray(part)) return part.map(plainTextOf).filter(Boolean).join('\n')
  if (typeof part !== 'object' || part === null) return ''
  const { text, blocks, items, cells, content } = part as Record<string, unknown>
  return [text, blocks, items, cells, content].map(plainTextOf).filter(Boolean).join('\n')
}

/** What the message is about: what it answers or quotes, and whose words it passes on. Files of that come along. */
function contextOf(message: Message, self: Self): { text: string; references: ChatReference[] } {
  const lines: string[] = []
  const origin = message.forward_origin
  if (origin) lines.push(`_Forwarded from ${originName(origin)}:_`)
  const answered = message.reply_to_message
  const isOther = answered && answered.from?.id !== self.botId && !answered.forum_topic_created
  const quoted = message.quote?.text ?? (isOther ? textOf(answered, self) : '')
  if (quoted) {
    const who = answered?.from ? `${answered.from.first_name}: ` : ''
    lines.push(`> ${who}${quoted.split('\n').join('\n> ')}`)
  }
  return { text: lines.join('\n'), references: isOther ? readFiles(answered) : [] }
}

function originName(origin: NonNullable<Message['forward_origin']>): string {
  if (origin.type === 'user') return origin.sender_user.first_name
  if (origin.type === 'hidden_user') return origin.sender_user_name
  const chat = origin.type === 'chat' ? origin.sender_chat : origin.chat
  return 'title' in chat && chat.title ? chat.title : 'a chat'
}
