// Somebody pressed a button. Telegram vouches for who it was; what the button may do is decided by the services behind
// it. Whoever pressed gets a notice, and nobody else hears of it.
import type { CallbackQuery, Message } from '@grammyjs/types'
import { admit, Problem, type QuestionCard, readQuestionCard } from '@quartermaster/db'
import type { ChatPerson, TakenAnswer } from '../../../chat/chat-services.ts'
import { describeStranger } from '../../../chat/describe-stranger.ts'
import { type TelegramConnection, within } from '../connect/telegram-connection.ts'
import { conversationKeyOf } from '../conversation-key.ts'
import { telegramLimits } from '../limits.ts'
import { personOf } from '../receive/person.ts'
import { placeOf } from '../receive/receive-message.ts'
import { say } from '../receive/say.ts'
import { shorten } from '../render/escape-html.ts'
import { answerOf, readDraft, saveDraft, toggled } from './answer-draft.ts'
import { askForReply } from './ask-for-reply.ts'
import { type Click, hasButton, parseClick, promptFor, stopData } from './callback-data.ts'
import { choicesKeyboard, findChoice, parseChoice } from './command-choices.ts'
import { showCard } from './show-card.ts'

/** What the person is told; `alert` has to be closed by them. */
interface Notice {
  text?: string
  alert?: boolean
}

interface Pressed {
  telegram: TelegramConnection
  query: CallbackQuery
  message: Message
  person: ChatPerson
  channelId: string
}

export async function handleClick(telegram: TelegramConnection, query: CallbackQuery): Promise<void> {
  let notice: Notice = {}
  try {
    notice = await press(telegram, query)
  } catch (error) {
    // The answer was not taken; where the database is away the click comes again, and is answered then.
    if (!(error instanceof Problem)) throw error
    notice = { text: error.message, alert: true }
  }
  await tell(telegram, query, notice)
}

async function press(telegram: TelegramConnection, query: CallbackQuery): Promise<Notice> {
  const { message, data = '' } = query
  // Telegram does not show us what is too old; what it was about is over by then.
  if (!message || message.date === 0) return { text: 'This message is too old. Ask again.', alert: true }
  if (!hasButton(message, data)) return { text: 'This button does nothing.', alert: true }
  const { channelId } = await telegram.self()
  const pressed = { telegram, query, message, person: personOf(query.from), channelId }
  if (data === stopData) return stopRun(pressed)
  const choice = parseChoice(data)
  if (choice) return choose(pressed, choice)
  const click = parseClick(data)
  return click ? handleCardClick(pressed, click) : { text: 'This button does nothing any more.', alert: true }
}

/** The button under the message that shows the work in a group. */
async function stopRun({ telegram, message, person, channelId }: Pressed): Promise<Notice> {
  const conversationKey = conversationKeyOf(placeOf(message))
  const stopped = await telegram.chat.stop({ channelId, conversationKey, person })
  return stopped ? { text: 'Stopping.' } : { text: 'There is nothing that you could stop here.', alert: true }
}

async function choose(
  { telegram, message, person, channelId }: Pressed,
  { command, digest }: { command: string; digest: string },
): Promise<Notice> {
  const place = placeOf(message)
  const where = {
    channelId,
    place: String(place.chatId),
    conversationKey: conversationKeyOf(place),
    isDirect: message.chat.type === 'private',
    person,
    name: command,
  }
  const offered = await telegram.chat.runCommand({ ...where, argument: '' })
  const value = findChoice(offered.choices, digest)
  if (value === null) return { text: 'This is not offered any more.', alert: true }
  const reply = await telegram.chat.runCommand({ ...where, argument: value })
  const keyboard = choicesKeyboard(reply.choices)
  await say(telegram, place, {
    markdown: reply.markdown,
    ...(keyboard ? { keyboard } : {}),
    replyTo: message.message_id,
  })
  return {}
}

async function handleCardClick(pressed: Pressed, click: Click): Promise<Notice> {
  const { telegram, message, person, channelId } = pressed
  const { questionId, verb, indexes } = click
  if (verb === 'cancel') return cancelPrompt(pressed)
  const member = await admit(telegram.chat.db, { channelId, person })
  if ('stranger' in member) return { text: await describeStranger(telegram.chat.db, channelId), alert: true }
  const answer = { channelId, questionId, person }
  const { workspaceId, memberId } = member
  const card = await readQuestionCard(telegram.chat.db, { workspaceId, questionId, memberId })
  if (!card) return { text: 'There is no such question any more.', alert: true }
  if (verb === 'all') return showAll(pressed, card)
  if (card.status !== 'open') {
    await showCard(telegram, cardMessage(message), card, AbortSignal.timeout(telegramLimits.callMs)).catch(() => {})
    return {
      text: `${card.closed?.sentence ?? 'This question is closed'}. Nothing more can be done here.`,
      alert: true,
    }
  }
  if (card.mayAnswer === false) return { text: `This is not yours to answer: ${card.whoMayAnswer}.`, alert: true }
  const take = async (given: { verdict: 'approve' | 'deny'; lease?: true; value?: unknown }) => {
    const digest = card.argumentsDigest ? { argumentsDigest: card.argumentsDigest } : {}
    return answered(pressed, await telegram.chat.takeAnswer({ ...answer, ...given, ...digest }))
  }
  const draftOf = { questionId, memberId }
  switch (verb) {
    case 'approve':
      return take({ verdict: 'approve' })
    case 'lease':
      return take({ verdict: 'approve', lease: true })
    case 'deny':
    case 'decline':
      return take({ verdict: 'deny' })
    case 'option': {
      const value = card.options[indexes[0] ?? -1]
      return value === undefined
        ? { text: 'This is not offered any more.', alert: true }
        : take({ verdict: 'approve', value })
    }
    case 'send':
      return take({ verdict: 'approve', value: answerOf(card, await readDraft(telegram.chat, draftOf)) })
    case 'toggle': {
      const [tab, index] = card.kind === 'form' ? [indexes[0] ?? 0, indexes[1] ?? -1] : [0, indexes[0] ?? -1]
      const before = await readDraft(telegram.chat, draftOf)
      const values = toggled(card, before, tab, index)
      await saveDraft(telegram.chat, draftOf, values)
      // A form's page is done with one choice; of a list the page stays on which the option stands.
      const page = card.kind === 'form' ? (card.tabs[tab]?.multiple ? tab : tab + 1) : Math.floor(index / 10)
      return turnTo(pressed, card, page, values)
    }
    case 'page':
      return turnTo(pressed, card, indexes[0] ?? 0, await readDraft(telegram.chat, draftOf))
    case 'write':
      return askForReply(telegram, pressed.query.from, message, card, promptFor.tab, indexes[0] ?? 0)
    case 'reason':
      return askForReply(telegram, pressed.query.from, message, card, promptFor.reason)
    case 'edit':
      return askForReply(telegram, pressed.query.from, message, card, promptFor.edit)
  }
}

const cardMessage = (message: Message) => ({ chatId: message.chat.id, messageId: message.message_id })

async function turnTo(
  { telegram, message }: Pressed,
  card: QuestionCard,
  page: number,
  values: Awaited<ReturnType<typeof readDraft>>,
) {
  const signal = AbortSignal.timeout(telegramLimits.callMs)
  await showCard(telegram, cardMessage(message), card, signal, { page, values }).catch((error: unknown) =>
    telegram.log.info({ error }, 'a page of a card could not be shown'),
  )
  return {}
}

/** An answer that counts changes every copy of the card, this one too, by a delivery of its own. */
function answered(pressed: Pressed, taken: TakenAnswer): Promise<Notice> | Notice {
  return taken.ok ? { text: taken.sentence } : refused(pressed, taken)
}

async function refused({ telegram, message }: Pressed, { sentence, problems, card }: TakenAnswer): Promise<Notice> {
  if (card && card.status !== 'open')
    await showCard(telegram, cardMessage(message), card, AbortSignal.timeout(telegramLimits.callMs)).catch(() => {})
  return { text: [sentence, ...(problems ?? [])].join(' '), alert: true }
}

async function cancelPrompt({ telegram, message }: Pressed): Promise<Notice> {
  await telegram.patientApi
    .deleteMessage(message.chat.id, message.message_id, within(telegramLimits.callMs))
    .catch((error: unknown) => telegram.log.debug({ error }, 'a prompt was not deleted'))
  return { text: 'Nothing was changed.' }
}

/** Longer than this is read in the console. */
const mostArguments = 12_000

async function showAll({ telegram, query, message }: Pressed, card: QuestionCard): Promise<Notice> {
  const json = JSON.stringify(card.arguments, null, 2) ?? ''
  const { consoleUrl } = telegram.chat
  const more = json.length > mostArguments && consoleUrl ? `\n\nAll of it: ${consoleUrl}/approvals/${card.id}` : ''
  const trace = consoleUrl ? `\n\nAll that led here: ${consoleUrl}/runs/${card.runId}` : ''
  const fence = '`'.repeat(Math.max(3, ...[...json.matchAll(/`+/g)].map(([row]) => row.length + 1)))
  await say(telegram, placeOf(message), {
    markdown: `**${card.tool ?? card.title}**\n\n${fence}json\n${shorten(json, mostArguments)}\n${fence}${more}${trace}`,
    replyTo: message.message_id,
    onlyFor: { userId: query.from.id, callbackQueryId: query.id },
  })
  return {}
}

/** Until it is answered the button shows that it is busy. One that is too old to be answered shows nothing any more. */
async function tell(
  { patientApi, log }: TelegramConnection,
  { id }: CallbackQuery,
  { text, alert }: Notice,
): Promise<void> {
  const words = text === undefined ? {} : { text: shorten(text, telegramLimits.callbackNotice) }
  await patientApi
    .answerCallbackQuery(id, { ...words, ...(alert ? { show_alert: true } : {}) }, within(telegramLimits.callMs))
    .catch((error: unknown) => log.debug({ error }, 'a pressed button was not answered'))
}
