// What a reference in a message stands for. Addresses of files come from Slack and could name any host: our token goes
// to Slack's own and to that of the API, nowhere else, and follows no redirect.
import { Problem } from '@quartermaster/db'
import type { ChatReference } from '../../../chat/chat-services.ts'
import type { Fetched } from '../../channel.ts'
import type { SlackConnection } from '../connect/slack-connection.ts'
import { limits } from '../limits.ts'
import { mentionedUsers, readableText } from '../receive/readable-text.ts'
import { clip } from '../render/clip.ts'
import { refusalOf } from './refusal.ts'
import { parseThreadKey } from './slack-place.ts'

export async function fetchReference(
  slack: SlackConnection,
  reference: ChatReference,
  { channelId }: { channelId: string },
  signal: AbortSignal,
): Promise<Fetched> {
  signal.throwIfAborted()
  return reference.kind === 'file'
    ? fetchFile(slack, reference, channelId, signal)
    : fetchThread(slack, reference, channelId, signal)
}

async function fetchFile(
  slack: SlackConnection,
  { id, name }: ChatReference & { kind: 'file' },
  channelId: string,
  signal: AbortSignal,
): Promise<Fetched> {
  const client = await slack.clientFor(channelId)
  const { file } = await client.files.info({ file: id }).catch((error: unknown) => {
    const code = refusalOf(error)
    if (!code) throw error
    throw new Problem(`Slack does not give me ${clip(name, 100)} (${code}).`, 'Send it again, here.', { cause: error })
  })
  if ((file?.size ?? 0) > limits.fetchBytes) throw tooLarge(name)
  const address = file?.url_private_download ?? file?.url_private
  if (!address || !isSlacks(address, slack.apiUrl))
    throw new Problem(`${clip(name, 100)} lies outside of Slack.`, 'Upload it to Slack itself.')
  const response = await fetch(address, {
    headers: { authorization: `Bearer ${await slack.tokenFor(channelId)}` },
    redirect: 'manual',
    signal,
  })
  const mimeType = file?.mimetype ?? response.headers.get('content-type') ?? 'application/octet-stream'
  // Without the right to read it, Slack sends its sign-in page instead.
  const isPage = response.headers.get('content-type')?.startsWith('text/html') && !mimeType.startsWith('text/html')
  if (!response.ok || isPage)
    throw new Problem(
      `Slack does not give me ${clip(name, 100)} (${response.status}).`,
      'The app needs the scope files:read.',
    )
  return { kind: 'file', name: file?.name ?? name, mimeType, content: await readBounded(response, name) }
}

/** https and Slack's own hosts; or where the API is, whatever that is. */
export function isSlacks(address: string, apiUrl: string): boolean {
  const url = URL.parse(address)
  if (!url) return false
  const host = url.hostname
  const isOwn = ['slack.com', 'slack-files.com', 'slack-edge.com', 'slack-gov.com'].some(
    (domain) => host === domain || host.endsWith(`.${domain}`),
  )
  return (url.protocol === 'https:' && isOwn && url.port === '') || url.origin === URL.parse(apiUrl)?.origin
}

async function readBounded(response: Response, name: string): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.byteLength
    if (bytes > limits.fetchBytes) throw tooLarge(name)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

const tooLarge = (name: string) =>
  new Problem(
    `${clip(name, 100)} is larger than ${limits.fetchBytes / 1024 / 1024} MB.`,
    'Send a smaller file, or the part that matters.',
  )

/** What was said before, oldest first; of a long thread its newest messages. */
async function fetchThread(
  slack: SlackConnection,
  { id, before }: ChatReference & { kind: 'thread' },
  channelId: string,
  signal: AbortSignal,
): Promise<Fetched> {
  const place = parseThreadKey(id)
  if (!place) throw new Problem('The thread is no place on Slack.', 'Ask again in the thread.')
  const [client, team] = await Promise.all([slack.clientFor(channelId), slack.teamOf(channelId)])
  let said: { user?: string; username?: string; text?: string; ts?: string }[] = []
  let cursor: string | undefined
  for (let page = 0; page < limits.threadPages; page++) {
    signal.throwIfAborted()
    const found = await client.conversations
      .replies({
        channel: place.channel,
        ts: place.threadTs,
        latest: before,
        inclusive: false,
        limit: limits.searchPageMessages,
        ...(cursor ? { cursor } : {}),
      })
      .catch((error: unknown) => {
        const code = refusalOf(error)
        if (!code) throw error
        throw new Problem(`Slack does not show me the thread (${code}).`, 'Invite me to the channel.', { cause: error })
      })
    said = [...said, ...(found.messages ?? [])].slice(-limits.threadMessages)
    cursor = found.response_metadata?.next_cursor || undefined
    if (!cursor) break
  }
  const names = new Map<string, string>()
  const nameOf = async (user: string) => {
    const name = names.get(user) ?? (await slack.personOf(team.teamId, user)).name
    names.set(user, name)
    return name
  }
  const messages: (Fetched & { kind: 'thread' })['messages'] = []
  for (const { user, username, text, ts } of said) {
    // Slack gives the thread's first message with every page, even one that comes after `latest`.
    if (!text || !ts || Number(ts) >= Number(before)) continue
    const name = user ? await nameOf(user) : (username ?? 'somebody')
    for (const mentioned of mentionedUsers(text)) await nameOf(mentioned)
    const readable = readableText(text, { botUserId: '', nameOf: (id) => names.get(id) ?? null })
    messages.push({ name, text: readable, at: new Date(Number(ts) * 1000) })
  }
  return { kind: 'thread', messages }
}
