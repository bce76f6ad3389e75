// Who we are in each team of Slack, and what is known of the people there. Everything is looked up when it is needed
// and kept for a while: a process that sends need not be the one that receives.
import { openChannel } from '@quartermaster/db'
import { WebAPIPlatformError, WebClient } from '@slack/web-api'
import type { ChatPerson, ChatServices } from '../../../chat/chat-services.ts'
import { connectLimits } from './connect-limits.ts'
import { deadToken } from './dead-token.ts'
import { Recent } from './recent.ts'
import { type SlackConnection, type SlackTeam, SlackUnconnected } from './slack-connection.ts'
import { slackLog } from './slack-log.ts'
import type { SlackSettings } from './slack-settings.ts'
import { findTeam, type InstalledTeam } from './slack-tokens.ts'
import { toPerson } from './to-person.ts'

export interface SlackConnectionParts {
  settings: SlackSettings
  chat: ChatServices
  refused: SlackConnection['refused']
  homeChanged: SlackConnection['homeChanged']
}

export interface OpenedConnection extends SlackConnection {
  /** What is known of this team is looked up again: its installation has changed. */
  forget(teamId: string): void
  /** The team of the token that is set; null where none is. */
  ownTeam(): Promise<SlackTeam | null>
}

export function createSlackConnection({ settings, chat, ...parts }: SlackConnectionParts): OpenedConnection {
  const own = new Recent<InstalledTeam>({ forMs: 60 * 60 * 1000, count: 1 })
  const installed = new Recent<InstalledTeam>({ forMs: connectLimits.teamMs, count: connectLimits.teams })
  const opened = new Recent<SlackTeam>({ forMs: connectLimits.teamMs, count: connectLimits.teams })
  const teamIds = new Recent<string>({ forMs: 60 * 60 * 1000, count: connectLimits.teams })
  const people = new Recent<ChatPerson>({ forMs: connectLimits.personMs, count: connectLimits.people })
  const clients = new Map<string, WebClient>()

  const openClient = (token: string) =>
    new WebClient(token, {
      slackApiUrl: settings.apiUrl,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      timeout: connectLimits.callMs,
      allowAbsoluteUrls: false,
      logger: slackLog(chat.log),
    })

  function clientWith(token: string): WebClient {
    const known = clients.get(token)
    if (known) return known
    if (clients.size >= connectLimits.teams) clients.clear()
    const client = openClient(token)
    clients.set(token, client)
    return client
  }

  const findOwn = (token: string) =>
    own.get('own', async () => {
      const answer = await clientWith(token)
        .auth.test()
        .catch((error: unknown) => {
          const reason = error instanceof WebAPIPlatformError ? error.data.error : ''
          throw deadToken.has(reason) ? new SlackUnconnected(`Slack refuses SLACK_BOT_TOKEN (${reason}).`) : error
        })
      if (!answer.team_id || !answer.user_id) throw new Error('Slack did not say whose token SLACK_BOT_TOKEN is.')
      return {
        teamId: answer.team_id,
        teamName: answer.team ?? answer.team_id,
        token,
        botUserId: answer.user_id,
        botId: answer.bot_id ?? null,
      }
    })

  async function lookForTeam(teamId: string): Promise<InstalledTeam> {
    const found = settings.oauth ? await findTeam(chat, teamId) : null
    if (found) return found
    if (settings.botToken) {
      const mine = await findOwn(settings.botToken)
      if (mine.teamId === teamId) return mine
    }
    throw new SlackUnconnected(`The app is not installed in the Slack team ${teamId}.`)
  }

  const installedIn = (teamId: string) => installed.get(teamId, () => lookForTeam(teamId))

  const channelOf = (teamId: string) =>
    opened.get(teamId, async () => {
      const { teamName, botUserId, botId } = await installedIn(teamId)
      const channel = await openChannel(chat.db, { kind: 'slack', externalId: teamId, name: teamName })
      return { id: channel.id, workspaceId: channel.workspaceId, teamId, teamName, botUserId, botId }
    })

  const teamIdOf = (channelId: string) =>
    teamIds.get(channelId, async () => {
      const { rows } = await chat.db.pool.query<{ external_id: string }>(
        `SELECT external_id FROM channels WHERE id = $1 AND kind = 'slack'`,
        [channelId],
      )
      if (!rows[0]) throw new SlackUnconnected(`There is no Slack channel ${channelId}.`)
      return rows[0].external_id
    })

  const tokenFor = async (channelId: string) => (await installedIn(await teamIdOf(channelId))).token

  return {
    chat,
    log: chat.log,
    apiUrl: settings.apiUrl,
    clientFor: async (channelId) => clientWith(await tokenFor(channelId)),
    tokenFor,
    channelOf,
    teamOf: async (channelId) => channelOf(await teamIdOf(channelId)),
    personOf: (teamId, userId) =>
      people.get(`${teamId}:${userId}`, async () => {
        const { token } = await installedIn(teamId)
        try {
          const { user } = await clientWith(token).users.info({ user: userId })
          return toPerson(teamId, userId, user)
        } catch (error) {
          // Who is known here can go on while Slack does not say; nobody new is let in by that.
          const known = await findKnown(chat, (await channelOf(teamId)).workspaceId, `${teamId}:${userId}`)
          if (!known) throw error
          return known
        }
      }),
    async ownTeam() {
      return settings.botToken ? channelOf((await findOwn(settings.botToken)).teamId) : null
    },
    forget(teamId) {
      own.forget()
      installed.forget(teamId)
      opened.forget(teamId)
    },
    refused: parts.refused,
    homeChanged: parts.homeChanged,
  }
}

async function findKnown({ db }: ChatServices, workspaceId: string, externalId: string): Promise<ChatPerson | null> {
  const { rows } = await db.pool.query<{ name: string }>(
    `SELECT coalesce(i.display_name, m.name) AS name FROM identities i JOIN members m ON m.id = i.member_id
     WHERE i.workspace_id = $1 AND i.kind = 'slack' AND i.external_id = $2`,
    [workspaceId, externalId],
  )
  return rows[0] ? { externalId, name: rows[0].name } : null
}
