// "Ask Quartermaster about this", from the menu of any message. The question is asked in a form and answered in a direct
// message: whoever is curious about a message need not tell everybody, and the bot need not be in that channel.
import { setTimeout as sleep } from 'node:timers/promises'
import type { MessageShortcut, ViewSubmitAction } from '@slack/bolt'
import type { ViewsOpenArguments } from '@slack/web-api'
import { z } from 'zod'
import type { ChatReference } from '../../../chat/chat-services.ts'
import type { SlackConnection } from '../connect/slack-connection.ts'
import { readMessage } from './read-message.ts'
import type { SlackSubmission } from './slack-click.ts'
import { slackMessage } from './slack-message.ts'

export const askShortcut = 'qm_ask_about'
export const askForm = 'qm_ask_form'

const question = { block: 'question', input: 'text' }
/** What the form carries along; Slack gives 3,000 characters. */
const quoteLength = 1_500
const filesAtMost = 5
const authorMs = 1_000

const carried = z.object({
  channel: z.string(),
  ts: z.string(),
  thread: z.string().nullable(),
  author: z.string(),
  text: z.string(),
  files: z.array(z.object({ id: z.string(), name: z.string(), mimeType: z.string(), size: z.number().nullable() })),
})

/** The trigger lives for 3 s, so the form comes first. */
export async function openAskForm(slack: SlackConnection, teamId: string, shortcut: MessageShortcut): Promise<void> {
  const team = await slack.channelOf(teamId)
  const said = slackMessage.safeParse({ ...shortcut.message, type: 'message', channel: shortcut.channel.id })
  if (!said.success) return
  const [{ text, references }, author] = await Promise.all([
    readMessage(slack, team, said.data),
    findAuthor(slack, teamId, said.data.user),
  ])
  const files = references
    .filter((one): one is Extract<ChatReference, { kind: 'file' }> => one.kind === 'file')
    .slice(0, filesAtMost)
    .map(({ id, name, mimeType, size }) => ({ id, name: cut(name, 80), mimeType: cut(mimeType, 80), size }))
  const thread = said.data.thread_ts ?? null
  const client = await slack.clientFor(team.id)
  await client.views.open({
    trigger_id: shortcut.trigger_id,
    view: renderAskForm({
      channel: shortcut.channel.id,
      ts: said.data.ts,
      thread,
      author,
      text: cut(text, quoteLength),
      files,
    }),
  })
}

/** Not longer than the trigger can wait. */
async function findAuthor(slack: SlackConnection, teamId: string, user: string | null | undefined): Promise<string> {
  if (!user) return 'an app'
  const found = slack.personOf(teamId, user).then(
    ({ name }) => name,
    () => 'somebody',
  )
  return Promise.race([found, sleep(authorMs, 'somebody', { ref: false })])
}

function renderAskForm(about: z.infer<typeof carried>): ViewsOpenArguments['view'] {
  return {
    type: 'modal',
    callback_id: askForm,
    private_metadata: JSON.stringify(about),
    title: { type: 'plain_text', text: 'Ask about this' },
    submit: { type: 'plain_text', text: 'Ask' },
    close: { type: 'plain_text', text: 'Cancel' },
    blocks: [
      {
        type: 'section',
        text: { type: 'plain_text', text: cut(`${about.author}: ${about.text || '(no words)'}`, 600), emoji: false },
      },
      {
        type: 'input',
        block_id: question.block,
        optional: true,
        label: { type: 'plain_text', text: 'What would you like to know?' },
        hint: { type: 'plain_text', text: 'The answer comes as a direct message to you alone.' },
        element: { type: 'plain_text_input', action_id: question.input, multiline: true, max_length: 3000 },
      },
    ],
  }
}

/** Acknowledged when the question is stored; where that fails, the form stays open and says so. */
export async function takeAskForm(slack: SlackConnection, { teamId, userId, view, ack }: SlackSubmission) {
  try {
    const about = carried.parse(JSON.parse(view.private_metadata))
    await ask(slack, teamId, userId, view, about)
    await ack()
  } catch (error) {
    slack.log.warn({ error }, 'a question about a message could not be taken')
    const sentence = 'That did not work just now. Please try it again.'
    await ack({ response_action: 'errors', errors: { [question.block]: sentence } })
  }
}

async function ask(
  slack: SlackConnection,
  teamId: string,
  userId: string,
  view: ViewSubmitAction['view'],
  about: z.infer<typeof carried>,
): Promise<void> {
  const team = await slack.channelOf(teamId)
  const [client, person] = await Promise.all([slack.clientFor(team.id), slack.personOf(teamId, userId)])
  const asked = view.state.values[question.block]?.[question.input]?.value?.trim() || 'What do you make of this?'
  const [opened, link] = await Promise.all([
    client.conversations.open({ users: userId }),
    client.chat.getPermalink({ channel: about.channel, message_ts: about.ts }).catch(() => null),
  ])
  const place = opened.channel?.id
  if (!place) throw new Error('Slack opened no direct message.')
  const quote = `> ${about.text.replaceAll('\n', '\n> ')}`
  const source = link?.permalink ? `[a message](${link.permalink})` : 'a message'
  // It is the first message of the thread in which the answer comes.
  const root = await client.chat.postMessage({
    channel: place,
    text: `About a message of ${about.author}: ${cut(asked, 300)}`,
    blocks: [{ type: 'markdown', text: `You asked about ${source} of ${about.author}:\n${quote}\n\n**${asked}**` }],
    unfurl_links: false,
  })
  if (!root.ts) throw new Error('Slack did not say when the message was posted.')
  const thread: ChatReference[] = about.thread
    ? [{ kind: 'thread', id: `${about.channel}:${about.thread}`, before: about.ts }]
    : []
  const taken = await slack.chat.takeMessage({
    channelId: team.id,
    eventId: `ask:${view.id}`,
    place,
    conversationKey: `${place}:${root.ts}`,
    isDirect: true,
    person,
    text: `${asked}\n\nThis is about a message of ${about.author}:\n${quote}`,
    references: [...thread, ...about.files.map((file) => ({ kind: 'file' as const, ...file }))],
    messageId: root.ts,
    slashCommands: false,
  })
  if (taken.outcome === 'duplicate') await client.chat.delete({ channel: place, ts: root.ts })
  if (taken.outcome === 'refused')
    await client.chat.update({
      channel: place,
      ts: root.ts,
      text: taken.sentence ?? 'You are not a member here.',
      blocks: [],
    })
}

const cut = (text: string, length: number) => (text.length > length ? `${text.slice(0, length - 1)}…` : text)
