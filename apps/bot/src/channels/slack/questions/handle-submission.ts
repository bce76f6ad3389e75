import { admit, type QuestionCard, readQuestionCard } from '@quartermaster/db'
import { z } from 'zod'
import type { ChatAnswer } from '../../../chat/chat-services.ts'
import type { SlackConnection } from '../connect/slack-connection.ts'
import type { SlackSubmission } from '../receive/slack-click.ts'
import { clip } from '../render/clip.ts'
import { type FormKind, parseCallbackId } from './action-ids.ts'
import { problemsByField, readEdited } from './edit-form.ts'
import { noticeView, tabBlockId } from './forms.ts'
import { valueIn } from './read-values.ts'

const contextShape = z.object({ questionId: z.string(), digest: z.string().nullable() })

/** A submitted form. Slack is acknowledged with what came of it: closed, errors beside the fields, or a sentence. */
export async function handleViewSubmission(slack: SlackConnection, submission: SlackSubmission): Promise<void> {
  const { view, teamId, userId, ack } = submission
  const kind = parseCallbackId(view.callback_id)
  const context = parseContext(view.private_metadata)
  if (!kind || kind === 'notice' || !context) return ack()
  const [team, person] = await Promise.all([slack.channelOf(teamId), slack.personOf(teamId, userId)])
  const refuse = (sentence: string) => ack({ response_action: 'update', view: noticeView(sentence) })
  const who = await admit(slack.chat.db, { channelId: team.id, person })
  if ('stranger' in who) return refuse('Only members of this workspace can answer this.')
  const { workspaceId, memberId } = who
  const { questionId, digest } = context
  const card = await readQuestionCard(slack.chat.db, { workspaceId, questionId, memberId })
  if (!card) return refuse('There is no such question any more.')
  const read = readForm(kind, card, view.state.values as never, digest)
  if ('errors' in read) return ack({ response_action: 'errors', errors: read.errors })
  const taken = await slack.chat.takeAnswer({ ...read.answer, questionId, channelId: team.id, person })
  slack.homeChanged(teamId, userId)
  if (taken.ok) return ack()
  const errors = kind === 'edit' && taken.problems?.length ? problemsByField(card, taken.problems) : {}
  if (Object.keys(errors).length) return ack({ response_action: 'errors', errors })
  return refuse(taken.sentence)
}

type Given = Pick<ChatAnswer, 'verdict'> & Partial<ChatAnswer>
type Read = { answer: Given } | { errors: Record<string, string> }
type Values = Parameters<typeof valueIn>[0]

function readForm(kind: Exclude<FormKind, 'notice'>, card: QuestionCard, values: Values, digest: string | null): Read {
  switch (kind) {
    case 'deny':
      return readText(values, 'reason', (reason) => ({ verdict: 'deny', reason: clip(reason, 2_000) }))
    case 'write':
      return readText(values, 'answer', (value) => ({ verdict: 'approve', value }))
    case 'choice': {
      const chosen = valueIn(values, 'choice').indexes.map((index) => card.options[index])
      return { answer: { verdict: 'approve', value: card.kind === 'multi_choice' ? chosen : chosen[0] } }
    }
    case 'fill-in': {
      const value = card.tabs.map(({ options, multiple }, index) => {
        const { text, indexes } = valueIn(values, tabBlockId(index))
        if (!options) return text ?? ''
        const chosen = indexes.map((each) => options[each])
        return multiple ? chosen : chosen[0]
      })
      return { answer: { verdict: 'approve', value } }
    }
    case 'edit': {
      const edited = readEdited(card, (blockId) => valueIn(values, blockId))
      if (!edited.ok) return { errors: edited.errors }
      const bound = digest === null ? {} : { argumentsDigest: digest }
      return { answer: { verdict: 'approve', editedArguments: edited.arguments, ...bound } }
    }
  }
}

function readText(values: Values, blockId: string, answer: (text: string) => Given): Read {
  const text = valueIn(values, blockId).text?.trim()
  return text ? { answer: answer(text) } : { errors: { [blockId]: 'Please write something.' } }
}

function parseContext(text: string): z.infer<typeof contextShape> | null {
  try {
    const parsed = contextShape.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}
