// What Telegram is told about the bot: its commands, and in webhook mode where it is called.
import { telegramLimits } from '../limits.ts'
import { type TelegramConnection, within } from './telegram-connection.ts'
import { webhookPath } from './webhook-path.ts'

/** What we are sent. Whoever adds a kind here handles it in receive/handle-update.ts. */
export const allowedUpdates = [
  'message',
  'edited_message',
  'callback_query',
  'stopped_message_generation',
  'my_chat_member',
] as const

const inEveryChat = [
  { command: 'agent', description: 'Who answers here, and choose another' },
  { command: 'tools', description: 'What it may do here' },
  { command: 'status', description: 'What it is doing' },
  { command: 'stop', description: 'Stop what it is doing' },
  { command: 'new', description: 'Begin a new conversation' },
  { command: 'help', description: 'What it can do, and how to ask' },
]
const inPrivateChats = [...inEveryChat, { command: 'link', description: 'Link this chat to your account' }]

/** The names that are ours in a group, where other bots have theirs. */
export const commandNames: ReadonlySet<string> = new Set([...inPrivateChats.map(({ command }) => command), 'start'])

export async function setCommands({ patientApi }: TelegramConnection): Promise<void> {
  const call = (commands: typeof inEveryChat, type: 'default' | 'all_private_chats' | 'all_group_chats') =>
    patientApi.setMyCommands(commands, { scope: { type } }, within(telegramLimits.callMs))
  await call(inPrivateChats, 'all_private_chats')
  await call(inEveryChat, 'all_group_chats')
  await call(inEveryChat, 'default')
}

/** Every process of the fleet may call this: they all say the same. */
export async function setWebhook({ patientApi, settings }: TelegramConnection): Promise<void> {
  const { webhookUrl, webhookSecret } = settings
  if (!webhookUrl || !webhookSecret) throw new Error('a webhook needs an address and a secret')
  await patientApi.setWebhook(
    webhookUrl.replace(/\/+$/, '') + webhookPath,
    {
      secret_token: webhookSecret,
      allowed_updates: [...allowedUpdates],
      max_connections: telegramLimits.webhookConnections,
    },
    within(telegramLimits.callMs),
  )
}
