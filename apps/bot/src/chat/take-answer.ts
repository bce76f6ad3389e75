import { admit, answerQuestion, readQuestionCard } from '@quartermaster/db'
import type { ChatAnswer, TakenAnswer } from './chat-services.ts'
import type { ChatParts } from './create-chat-services.ts'
import { describeAnswer } from './describe-answer.ts'
import { describeStranger } from './describe-stranger.ts'
import { readChatChannel } from './read-chat-channel.ts'

/** Counts what somebody clicked, chose or wrote on a card. Who they are is what the platform vouches for. */
export async function takeAnswer({ db, checkEdit }: ChatParts, answer: ChatAnswer): Promise<TakenAnswer> {
  const who = await admit(db, answer)
  if ('stranger' in who) return { ok: false, sentence: await describeStranger(db, answer.channelId), card: null }
  const { channelId, person: _, ...given } = answer
  const { kind } = await readChatChannel(db, channelId)
  const result = await answerQuestion(db, { ...given, memberId: who.memberId, surface: kind }, { checkEdit })
  const { workspaceId, memberId } = who
  const card = await readQuestionCard(db, { workspaceId, questionId: answer.questionId, memberId })
  return {
    ok: result.ok,
    sentence: describeAnswer(result, card),
    ...(result.ok || !('problems' in result) ? {} : { problems: result.problems }),
    card,
  }
}
