import type { ChatReference } from '../../../chat/chat-services.ts'
import type { SlackConnection, SlackTeam } from '../connect/slack-connection.ts'
import { mentionedUsers, readableText } from './readable-text.ts'
import type { SlackSaid } from './slack-message.ts'

/** How long names of mentioned people may take; then their ids stand in the text. Slack waits for us. */
const namesMs = 1_000
/** How many people of one message are looked up, and how many files are read. */
const namesAtMost = 10
const filesAtMost = 20

/** A message's words, with names, and with what was forwarded along quoted; and its files, which are fetched later. */
export async function readMessage(
  slack: SlackConnection,
  team: SlackTeam,
  said: SlackSaid,
): Promise<{ text: string; references: ChatReference[] }> {
  const shared = (said.attachments ?? []).filter((one) => one.is_share || one.is_msg_unfurl)
  const texts = [said.text ?? '', ...shared.map((one) => one.text ?? '')]
  const names = await findNames(slack, team, texts.join(' '))
  const read = (text: string) =>
    readableText(text, { botUserId: team.botUserId, nameOf: (userId) => names.get(userId) ?? null })
  const quotes = shared.map((one) => {
    const lines = read(one.text ?? '').replaceAll('\n', '\n> ')
    const source = one.from_url ? ` (${one.from_url})` : ''
    return `Forwarded message of ${one.author_name ?? 'somebody'}${source}:\n> ${lines}`
  })
  const files = [...(said.files ?? []), ...shared.flatMap((one) => one.files ?? [])]
  return {
    text: [read(said.text ?? ''), ...quotes].filter(Boolean).join('\n\n'),
    references: files
      // Somebody has deleted it, or the plan of the team has hidden it: there is nothing to fetch.
      .filter((file) => file.mode !== 'tombstone' && file.mode !== 'hidden_by_limit')
      .slice(0, filesAtMost)
      .map((file) => ({
        kind: 'file',
        id: file.id,
        name: file.name || file.title || file.id,
        mimeType: file.mimetype || 'application/octet-stream',
        size: file.size ?? null,
      })),
  }
}

async function findNames(slack: SlackConnection, team: SlackTeam, text: string): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  const users = mentionedUsers(text).filter((userId) => userId !== team.botUserId)
  if (!users.length) return names
  const looking = users.slice(0, namesAtMost).map(async (userId) => {
    names.set(userId, (await slack.personOf(team.teamId, userId)).name)
  })
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, namesMs)
  await Promise.race([Promise.allSettled(looking), late])
  clearTimeout(timer)
  return names
}
