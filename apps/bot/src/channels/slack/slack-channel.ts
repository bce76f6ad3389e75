// Slack: everything of it meets here. What people say and click comes in by a socket or over HTTP (connect, receive);
// what the bot says goes out as deliveries (deliver, render), what it is doing as streams (present).
import type { PartHealth } from '@quartermaster/db'
import type { ChatServices } from '../../chat/chat-services.ts'
import type { Channel } from '../channel.ts'
import { createChannelStatuses } from './connect/channel-statuses.ts'
import { connectLimits } from './connect/connect-limits.ts'
import { createApp } from './connect/create-app.ts'
import { createSlackConnection } from './connect/create-slack-connection.ts'
import { deadToken } from './connect/dead-token.ts'
import { keepSocket, type SocketState } from './connect/keep-socket.ts'
import { mountOAuth } from './connect/mount-oauth.ts'
import { mountRequests } from './connect/mount-requests.ts'
import { createSlackReceiver } from './connect/slack-receiver.ts'
import type { SlackSettings } from './connect/slack-settings.ts'
import { findTeam, forgetTeam, saveTeam } from './connect/slack-tokens.ts'
import { createDelivering } from './deliver/create-delivering.ts'
import { listen } from './receive/listen.ts'
import { publishHome } from './receive/publish-home.ts'
import { createRefreshHomes } from './receive/refresh-homes.ts'

export interface SlackChannelOptions {
  settings: SlackSettings
  chat: ChatServices
  /** How long a socket may be silent; shorter in tests that wait for it. */
  deafMs?: number
}

export function createSlackChannel({ settings, chat, deafMs }: SlackChannelOptions): Channel {
  const { log } = chat
  const statuses = createChannelStatuses(chat)
  const slack = createSlackConnection({
    settings,
    chat,
    refused(channelId, error, place) {
      if (deadToken.has(error)) void slack.teamOf(channelId).then((team) => slack.forget(team.teamId), ignore)
      if (!place) return statuses.refused(channelId, error)
      void nameOf(channelId, place).then((name) => statuses.refused(channelId, error, name))
    },
    homeChanged: createRefreshHomes(log, (teamId, userId) => publishHome(slack, teamId, userId)),
  })
  const receiver = createSlackReceiver()
  listen(createApp(slack, receiver), { slack, onRemoved, onPlace })

  let way: 'none' | 'requests' | SocketState = 'none'
  /** Why the team of the token that is set cannot be reached. */
  let teamTrouble: string | null = null

  async function onRemoved(teamId: string): Promise<void> {
    const channel = await findChannelId(chat, teamId)
    await forgetTeam(chat, teamId)
    slack.forget(teamId)
    log.warn({ teamId }, 'the app was removed from a Slack team')
    if (channel) statuses.ended(channel, 'The app was removed from this Slack team, or its token was revoked.')
    await statuses.flushed()
  }

  async function onPlace(teamId: string, place: string, error: string | null): Promise<void> {
    const { id } = await slack.channelOf(teamId)
    const name = await nameOf(id, place)
    if (error !== null) return statuses.refused(id, error, name)
    // It may have been lost under its id, where Slack did not tell its name then.
    for (const known of [name, place]) statuses.mended(id, known)
  }

  /** As people call it; its id where Slack does not say. */
  async function nameOf(channelId: string, place: string): Promise<string> {
    try {
      const { channel } = await (await slack.clientFor(channelId)).conversations.info({ channel: place })
      return channel?.name ? `#${channel.name}` : place
    } catch {
      return place
    }
  }

  /** Says of every team whose token works that it is connected, and of the others what is wrong. */
  async function introduce(): Promise<void> {
    const { rows } = await chat.db.pool.query<{ id: string; external_id: string }>(
      `SELECT id, external_id FROM channels WHERE kind = 'slack' ORDER BY created_at LIMIT $1`,
      [connectLimits.teams],
    )
    const own = await slack.ownTeam().catch((error: Error) => {
      teamTrouble = error.message
      return null
    })
    if (own) teamTrouble = null
    const others = rows.filter(({ id }) => id !== own?.id)
    for (const { id, external_id } of [...(own ? [{ id: own.id, external_id: own.teamId }] : []), ...others])
      try {
        await slack.channelOf(external_id)
        // Slack has refused this token before, so it is asked again.
        if (statuses.isInTrouble(id)) await (await slack.clientFor(id)).auth.test()
        statuses.connected(id)
      } catch (error) {
        statuses.ended(id, error instanceof Error ? error.message : 'Slack cannot be reached.')
      }
  }

  function look(): void {
    introduce().catch((error: Error) => log.warn({ error }, 'could not look at the teams of Slack'))
  }

  function onSocket(state: SocketState): void {
    // While the next one is opened, why the last one ended says more.
    if (state.is === 'connecting' && way !== 'none') return
    way = state
    statuses.socket(state)
    if (state.is === 'connected') look()
  }

  return {
    kind: 'slack',
    ...createDelivering(slack),
    health: () => describeHealth(way, teamTrouble),
    mount(gateway) {
      const { oauth, signingSecret, appToken } = settings
      if (signingSecret && !appToken) mountRequests(gateway, { signingSecret, log, take: receiver.take })
      if (oauth)
        mountOAuth(gateway, {
          settings: { ...settings, oauth },
          log,
          find: (teamId) => findTeam(chat, teamId),
          uninstall: onRemoved,
          async install(team) {
            await saveTeam(chat, team)
            slack.forget(team.teamId)
            statuses.connected((await slack.channelOf(team.teamId)).id)
          },
        })
    },
    async start(signal) {
      const { appToken, apiUrl } = settings
      // Another process may have said last that it does not work, and be gone.
      const again = setInterval(() => {
        if (way === 'requests' || (way !== 'none' && way.is === 'connected')) look()
      }, connectLimits.teamMs)
      signal.addEventListener('abort', () => clearInterval(again), { once: true })
      if (!appToken) {
        way = 'requests'
        look()
        return
      }
      const { promise: begun, resolve } = Promise.withResolvers<void>()
      const onState = (state: SocketState) => {
        onSocket(state)
        if (state.is !== 'connecting') resolve()
      }
      const { take, idle } = receiver
      const silence = deafMs === undefined ? {} : { deafMs }
      void keepSocket({ appToken, apiUrl, log, take, idle, onState, ...silence }, signal)
      const timer = setTimeout(resolve, connectLimits.startMs)
      await begun
      clearTimeout(timer)
    },
  }
}

function describeHealth(way: 'none' | 'requests' | SocketState, teamTrouble: string | null): PartHealth {
  if (way === 'none') return { state: 'ok', detail: 'This process sends to Slack and does not receive.', next: null }
  if (way !== 'requests' && way.is === 'broken') {
    const next = way.refused ? 'Copy the app-level token into SLACK_APP_TOKEN again' : 'Check the network'
    return { state: 'problem', detail: `The socket to Slack is being opened again: ${way.detail}`, next }
  }
  if (way !== 'requests' && way.is === 'connecting')
    return { state: 'warning', detail: 'The socket to Slack is being opened.', next: null }
  if (teamTrouble) return { state: 'problem', detail: `Slack: ${teamTrouble}`, next: 'Check SLACK_BOT_TOKEN' }
  const detail = way === 'requests' ? 'Slack sends its events to the gateway.' : 'Slack is connected by a socket.'
  return { state: 'ok', detail, next: null }
}

const ignore = () => {}

async function findChannelId({ db }: ChatServices, teamId: string): Promise<string | null> {
  const { rows } = await db.pool.query<{ id: string }>(
    `SELECT id FROM channels WHERE kind = 'slack' AND external_id = $1 ORDER BY created_at LIMIT 1`,
    [teamId],
  )
  return rows[0]?.id ?? null
}
