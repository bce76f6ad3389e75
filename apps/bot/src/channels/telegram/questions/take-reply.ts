// A reply to a card that waits for a text, or to a prompt of ours (ask-for-reply.ts).
import type { Message } from '@grammyjs/types'
import { findAdmitted, readQuestionCard } from '@quartermaster/db'
import type { ChatPerson, TakenAnswer } from '../../../chat/chat-services.ts'
import { type TelegramConnection, within } from '../connect/telegram-connection.ts'
import type { ChatPlace } from '../conversation-key.ts'
import { telegramLimits } from '../limits.ts'
import { say } from '../receive/say.ts'
import { readDraft, saveDraft } from './answer-draft.ts'
import { buttonsOf, type Click, parseClick, promptFor } from './callback-data.ts'
import { showCard } from './show-card.ts'

export interface Reply {
  message: Message
  person: ChatPerson
  place: ChatPlace
  text: string
}

/** True: it was meant for a question, and is no message. */
export async function takeReply(telegram: TelegramConnection, reply: Reply): Promise<boolean> {
  const { message, person } = reply
  const answered = message.reply_to_message
  const { botId, channelId } = await telegram.self()
  const text = message.text?.trim()
  if (!text || answered?.from?.id !== botId) return false
  const clicks = buttonsOf(answered.reply_markup).flatMap((data) => parseClick(data) ?? [])
  const prompt = clicks.find(({ verb }) => verb === 'cancel')
  if (prompt) {
    await takePrompted(telegram, reply, text, prompt)
    return true
  }
  const [click] = clicks
  const member = click && (await findAdmitted(telegram.chat.db, { channelId, person }))
  if (!member) return false
  const { questionId } = click
  const card = await readQuestionCard(telegram.chat.db, { ...member, questionId })
  if (card?.kind !== 'text') return false
  await told(
    telegram,
    reply,
    await telegram.chat.takeAnswer({ channelId, questionId, person, verdict: 'approve', value: text }),
  )
  return true
}

async function takePrompted(telegram: TelegramConnection, reply: Reply, text: string, prompt: Click): Promise<void> {
  const { person, place, message } = reply
  const { questionId, indexes } = prompt
  const [what, cardMessageId = 0, tab = 0] = indexes
  const { channelId } = await telegram.self()
  const answer = { channelId, questionId, person }
  const whisper = (markdown: string) => say(telegram, place, { markdown, replyTo: message.message_id })
  if (what === promptFor.reason) {
    await told(telegram, reply, await telegram.chat.takeAnswer({ ...answer, verdict: 'deny', reason: text }))
    return
  }
  const member = await findAdmitted(telegram.chat.db, { channelId, person })
  const card = member && (await readQuestionCard(telegram.chat.db, { ...member, questionId }))
  if (!member || !card) return whisper('There is no such question for you.')
  if (what === promptFor.edit) {
    const edited = parseJson(text)
    if ('problem' in edited) return whisper(`That is not JSON (${edited.problem}). Reply to the same message again.`)
    const digest = card.argumentsDigest ? { argumentsDigest: card.argumentsDigest } : {}
    await told(
      telegram,
      reply,
      await telegram.chat.takeAnswer({ ...answer, verdict: 'approve', editedArguments: edited.value, ...digest }),
    )
    return
  }
  if (card.status !== 'open') return whisper(`${card.closed?.sentence ?? 'This question is closed'}.`)
  if (card.mayAnswer === false) return whisper(`This is not yours to answer: ${card.whoMayAnswer}.`)
  const of = { questionId, memberId: member.memberId }
  const values = await readDraft(telegram.chat, of)
  while (values.length <= tab) values.push(null)
  values[tab] = text
  await saveDraft(telegram.chat, of, values)
  const shown = { chatId: message.chat.id, messageId: cardMessageId }
  await showCard(telegram, shown, card, AbortSignal.timeout(telegramLimits.callMs), { page: tab + 1, values }).catch(
    (error: unknown) => telegram.log.info({ error }, 'a page of a card could not be shown'),
  )
  await removePrompt(telegram, message)
}

/** What came of it. The same reply that comes again is not told a second time that it counted. */
async function told(telegram: TelegramConnection, { message, place }: Reply, taken: TakenAnswer): Promise<void> {
  if (!taken.ok && taken.card?.hasAnswered) return
  const problems = (taken.problems ?? []).filter((problem) => problem !== taken.sentence)
  const markdown = [taken.sentence, ...problems.map((problem) => `- ${problem}`)].join('\n')
  await say(telegram, place, { markdown, replyTo: message.message_id })
  if (taken.ok) await removePrompt(telegram, message)
}

/** The prompt has done its work. A card that was replied to is not one: it has to stay. */
async function removePrompt(telegram: TelegramConnection, { chat, reply_to_message }: Message): Promise<void> {
  const isPrompt = buttonsOf(reply_to_message?.reply_markup).some((data) => parseClick(data)?.verb === 'cancel')
  if (!reply_to_message || !isPrompt) return
  await telegram.patientApi
    .deleteMessage(chat.id, reply_to_message.message_id, within(telegramLimits.callMs))
    .catch((error: unknown) => telegram.log.debug({ error }, 'a prompt was not deleted'))
}

/** With or without the marks of code that people, and their phones, put around it. */
function parseJson(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text.replace(/^```\w*\n?|\n?```$/g, '')) }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}
