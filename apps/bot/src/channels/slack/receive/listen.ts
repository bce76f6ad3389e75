// What Slack tells us, and who takes it. Here it is only told apart; Bolt has found out what it is, and Slack vouches
// for the team and the person. An event is acknowledged when its listener has resolved (connect/slack-receiver.ts).
import type { App, BlockAction, MessageShortcut, ViewSubmitAction } from '@slack/bolt'
import type { SlackConnection } from '../connect/slack-connection.ts'
import { handleAction, handleViewSubmission } from '../questions/handle-action.ts'
import { askForm, askShortcut, openAskForm, takeAskForm } from './ask-about-message.ts'
import { changeMessage, deleteMessage } from './change-message.ts'
import { createInOrder } from './in-order.ts'
import { chooseAction } from './render-reply.ts'
import { runCommand, runSlashCommand } from './run-slash-command.ts'
import { type SlackMessage, slackMessage } from './slack-message.ts'
import { stopSession } from './stop-session.ts'
import { suggestPrompts } from './suggest-prompts.ts'
import { takeMessage } from './take-message.ts'

export interface Listening {
  slack: SlackConnection
  /** The team has removed the app, or its tokens. */
  onRemoved(teamId: string): Promise<void>
  /** A place is lost to us (`error` as Slack calls it) or works again (null). */
  onPlace(teamId: string, place: string, error: string | null): Promise<void>
}

export function listen(app: App, { slack, onRemoved, onPlace }: Listening): void {
  const inOrder = createInOrder()
  /** For what may fail without anybody missing it. */
  const aside = (what: Promise<void>) =>
    void what.catch((error: Error) => slack.log.info({ error }, 'something beside the conversations failed in Slack'))

  const hear = (teamId: string, event: unknown) => {
    const parsed = slackMessage.safeParse(event)
    if (!parsed.success) return Promise.resolve()
    return inOrder(`${teamId}:${threadOf(parsed.data)}`, () => sort(slack, teamId, parsed.data))
  }
  app.event('message', ({ event, context }) => hear(teamOf(context), event))
  app.event('app_mention', ({ event, context }) => hear(teamOf(context), event))

  app.event('app_home_opened', async ({ event, context }) => {
    const teamId = teamOf(context)
    if (event.tab === 'messages') aside(suggestPrompts(slack, teamId, event.channel))
    else slack.homeChanged(teamId, event.user)
  })
  app.event('agent_session_stopped', ({ event, context }) => stopSession(slack, teamOf(context), event))

  app.event('app_uninstalled', ({ context }) => onRemoved(teamOf(context)))
  app.event('tokens_revoked', async ({ event, context }) => {
    if (event.tokens.bot?.length) await onRemoved(teamOf(context))
  })
  for (const type of ['channel_archive', 'group_archive'] as const)
    app.event(type, async ({ event, context }) => aside(onPlace(teamOf(context), event.channel, 'is_archived')))
  for (const type of ['channel_left', 'group_left'] as const)
    app.event(type, async ({ event, context }) => aside(onPlace(teamOf(context), event.channel, 'not_in_channel')))
  for (const type of ['channel_unarchive', 'group_unarchive', 'member_joined_channel'] as const)
    app.event(type, async ({ event, context }) => {
      if (event.type === 'member_joined_channel' && event.user !== context.botUserId) return
      aside(onPlace(teamOf(context), event.channel, null))
    })

  app.command(/./, async ({ command, ack, respond, context }) => {
    await ack()
    await runSlashCommand(slack, teamOf(context), command, respond)
  })
  app.shortcut<MessageShortcut>(
    { type: 'message_action', callback_id: askShortcut },
    async ({ shortcut, ack, context }) => {
      await ack()
      await openAskForm(slack, teamOf(context), shortcut)
    },
  )
  app.view<ViewSubmitAction>(
    { type: 'view_submission', callback_id: askForm },
    async ({ body, view, ack, context }) => {
      const teamId = teamOf(context)
      await takeAskForm(slack, { teamId, userId: body.user.id, view, body, ack })
    },
  )
  app.action<BlockAction>({ type: 'block_actions', action_id: startsWith(chooseAction) }, async (args) => {
    const { action, body, ack, respond, context } = args
    await ack()
    const value = action.type === 'static_select' ? action.selected_option.value : undefined
    const channel = body.channel?.id
    if (!value || !channel || !respond) return
    const name = action.action_id.slice(chooseAction.length)
    await runCommand(slack, teamOf(context), { name, argument: value, channel, user: body.user.id }, respond, true)
  })

  app.action<BlockAction>({ type: 'block_actions', action_id: startsWith('qm:') }, async (args) => {
    const { action, body, ack, respond, context } = args
    const teamId = teamOf(context)
    await handleAction(slack, { teamId, userId: body.user.id, action, body, ack, respond: respond ?? null })
    if (body.view?.type === 'home') slack.homeChanged(teamId, body.user.id)
  })
  app.view<ViewSubmitAction>({ type: 'view_submission', callback_id: startsWith('qm:') }, async (args) => {
    const { view, body, ack, context } = args
    const teamId = teamOf(context)
    await handleViewSubmission(slack, { teamId, userId: body.user.id, view, body, ack })
    slack.homeChanged(teamId, body.user.id)
  })
}

function sort(slack: SlackConnection, teamId: string, event: SlackMessage): Promise<void> {
  if (event.subtype === 'message_changed') return changeMessage(slack, teamId, event)
  if (event.subtype === 'message_deleted') return deleteMessage(slack, teamId, event)
  return takeMessage(slack, teamId, event)
}

function threadOf(event: SlackMessage): string {
  const said = event.message ?? event.previous_message ?? event
  return `${event.channel}:${said.thread_ts ?? said.ts}`
}

/** The team that our installation belongs to. We are never installed in a whole organization. */
function teamOf({ teamId }: { teamId?: string }): string {
  if (!teamId) throw new Error('Slack did not say for which team this is.')
  return teamId
}

const startsWith = (prefix: string) => new RegExp(`^${prefix}`)
