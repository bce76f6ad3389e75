// What people click on cards and submit in forms. Who clicks is what Slack vouches for; what a button stands for is read
// from the database, for a card in a chat may be old. Whether an answer counts is decided behind `chat.takeAnswer`; what
// does not count is told to the person alone, and nothing else happens. What counts is shown by the card itself: its
// copies are changed by deliveries.
import { admit, type QuestionCard, readQuestionCard } from '@quartermaster/db'
import type { ChatAnswer, ChatPerson } from '../../../chat/chat-services.ts'
import type { SlackConnection, SlackTeam } from '../connect/slack-connection.ts'
import { refusalOf } from '../deliver/refusal.ts'
import type { SlackClick } from '../receive/slack-click.ts'
import { escapeMrkdwn } from '../render/mrkdwn.ts'
import { chooserBlockId } from '../render/render-controls.ts'
import { type ButtonValue, type CardAction, feedbackActionId, parseActionId, parseButtonValue } from './action-ids.ts'
import { editForm } from './edit-form.ts'
import { choiceForm, denyForm, type FormContext, fillInForm, noticeView, showAllView, writeForm } from './forms.ts'
import { valueIn } from './read-values.ts'

export { handleViewSubmission } from './handle-submission.ts'

export async function handleAction(slack: SlackConnection, click: SlackClick): Promise<void> {
  // At once: everything else may take longer than Slack waits, and a click counts once however often it comes.
  await click.ack()
  const { action } = click
  if (action.action_id === feedbackActionId) return takeFeedback(slack, click)
  const kind = parseActionId(action.action_id)
  const value = parseButtonValue('value' in action && typeof action.value === 'string' ? action.value : undefined)
  // A choice in a menu means nothing until its button is pressed.
  if (!kind || kind === 'choose' || !value) return
  const clicker = await identify(slack, click)
  const answer = await answerOf(slack, clicker, click, kind, value)
  if (answer) await give(slack, clicker, answer)
  else await open(slack, clicker, kind, value)
}

interface Clicker {
  team: SlackTeam
  person: ChatPerson
  userId: string
  channel: string | null
  threadTs: string | null
  triggerId: string
}

async function identify(slack: SlackConnection, { teamId, userId, body }: SlackClick): Promise<Clicker> {
  const [team, person] = await Promise.all([slack.channelOf(teamId), slack.personOf(teamId, userId)])
  const { channel, message } = body
  const threadTs = (message as { thread_ts?: string } | undefined)?.thread_ts ?? null
  return { team, person, userId, channel: channel?.id ?? null, threadTs, triggerId: body.trigger_id }
}

type Given = Pick<ChatAnswer, 'questionId' | 'verdict'> & Partial<ChatAnswer>

/** What the click answers; null where it only opens something. */
async function answerOf(
  slack: SlackConnection,
  { team }: Clicker,
  { body }: SlackClick,
  kind: CardAction,
  { questionId, index, digest }: ButtonValue,
): Promise<Given | null> {
  const bound = digest === null ? {} : { argumentsDigest: digest }
  switch (kind) {
    case 'approve':
      return { questionId, verdict: 'approve', ...bound }
    case 'approve-for-thread':
      return { questionId, verdict: 'approve', lease: true, ...bound }
    case 'deny':
    case 'decline':
      return { questionId, verdict: 'deny' }
    case 'option':
    case 'submit-choice': {
      const card = await readQuestionCard(slack.chat.db, { workspaceId: team.workspaceId, questionId })
      if (!card) return { questionId, verdict: 'approve' }
      const options = (indexes: readonly number[]) => indexes.map((each) => card.options[each])
      if (kind === 'option') return { questionId, verdict: 'approve', value: options([index ?? -1])[0] }
      const { indexes } = valueIn((body.state ?? body.view?.state)?.values as never, chooserBlockId(questionId))
      const value = card.kind === 'multi_choice' ? options(indexes) : options(indexes)[0]
      return { questionId, verdict: 'approve', value }
    }
    default:
      return null
  }
}

async function give(slack: SlackConnection, clicker: Clicker, answer: Given): Promise<void> {
  const taken = await slack.chat.takeAnswer({ ...answer, channelId: clicker.team.id, person: clicker.person })
  slack.homeChanged(clicker.team.teamId, clicker.userId)
  if (!taken.ok) await tellAlone(slack, clicker, taken.sentence)
}

/** Opens a form or a view, for whom it is any use: nobody fills in a form to be refused afterwards. */
async function open(
  slack: SlackConnection,
  clicker: Clicker,
  kind: CardAction,
  { questionId, digest }: ButtonValue,
): Promise<void> {
  const { chat } = slack
  const who = await admit(chat.db, { channelId: clicker.team.id, person: clicker.person })
  if ('stranger' in who) return tellAlone(slack, clicker, 'Only members of this workspace can see and answer this.')
  const { workspaceId, memberId } = who
  const card = await readQuestionCard(chat.db, { workspaceId, questionId, memberId })
  if (!card) return tellAlone(slack, clicker, 'There is no such question any more.')
  if (kind !== 'show-all') {
    const problem = problemOf(card)
    if (problem) return tellAlone(slack, clicker, problem)
  }
  const context: FormContext = { questionId, digest, channel: clicker.channel, threadTs: clicker.threadTs }
  const view = viewOf(kind, card, context, chat.consoleUrl)
  if (!view) return
  const client = await slack.clientFor(clicker.team.id)
  await client.views.open({ trigger_id: clicker.triggerId, view }).catch((error: unknown) => {
    // Too slow for Slack's three seconds; another click will do.
    if (!['expired_trigger_id', 'trigger_expired', 'exchanged_trigger_id'].includes(refusalOf(error) ?? '')) throw error
    return tellAlone(slack, { ...clicker, triggerId: '' }, 'That took too long. Please click again.')
  })
}

function viewOf(kind: CardAction, card: QuestionCard, context: FormContext, consoleUrl: string | null) {
  if (kind === 'show-all') return showAllView(card, consoleUrl)
  if (kind === 'edit' && card.buttons.includes('edit')) return editForm(card, context)
  if (kind === 'deny-with-reason') return denyForm(card, context)
  if (kind === 'write' && card.buttons.includes('reply')) return writeForm(card, context)
  if (kind === 'open-choice' && card.options.length) return choiceForm(card, context)
  if (kind === 'fill-in' && card.buttons.includes('form')) return fillInForm(card, context)
  return null
}

/** Why the question is not this member's to answer; null: it is. Decided again when the answer comes. */
function problemOf(card: QuestionCard): string | null {
  if (card.closed) return `${card.closed.sentence}. There is nothing to answer any more.`
  if (card.expiresAt <= new Date()) return 'The time for an answer is over.'
  if (card.hasAnswered) return 'You have answered this. It waits for the others.'
  return card.mayAnswer ? null : `You may not answer this. It waits for ${card.whoMayAnswer}.`
}

async function tellAlone(slack: SlackConnection, clicker: Clicker, sentence: string): Promise<void> {
  const { team, channel, threadTs, userId, triggerId } = clicker
  const client = await slack.clientFor(team.id)
  try {
    if (channel)
      await client.chat.postEphemeral({
        channel,
        user: userId,
        text: escapeMrkdwn(sentence),
        ...(threadTs ? { thread_ts: threadTs } : {}),
      })
    // The Home tab is no conversation.
    else if (triggerId) await client.views.open({ trigger_id: triggerId, view: noticeView(sentence) })
  } catch (error) {
    slack.log.info({ error }, 'somebody could not be told that their click does not count')
  }
}

async function takeFeedback(slack: SlackConnection, click: SlackClick): Promise<void> {
  const { action } = click
  const value = 'value' in action && typeof action.value === 'string' ? action.value : ''
  const [runId, verdict] = value.split(':')
  if (!runId || (verdict !== 'good' && verdict !== 'bad')) return
  const clicker = await identify(slack, click)
  const { team, person } = clicker
  const isKept = await slack.chat.takeFeedback({ channelId: team.id, runId, person, good: verdict === 'good' })
  await tellAlone(
    slack,
    clicker,
    isKept ? 'Thank you. It is kept with the run.' : 'This answer cannot be judged by you.',
  )
}
