// Several teams: the app is installed by OAuth, and each team's token is kept sealed. Slack's own library makes the
// state, binds it to the browser by a cookie, and exchanges the code.
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Installation, InstallProvider } from '@slack/oauth'
import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import { slackScopes } from '../../../health/slack-scopes.ts'
import type { Log } from '../../../log.ts'
import { callbackPath, installPath, isInstallLink } from './install-link.ts'
import { slackLog } from './slack-log.ts'
import type { SlackSettings } from './slack-settings.ts'
import type { InstalledTeam } from './slack-tokens.ts'

export interface MountedOAuth {
  settings: SlackSettings & Required<Pick<SlackSettings, 'oauth'>>
  log: Log
  find(teamId: string): Promise<InstalledTeam | null>
  install(team: InstalledTeam): Promise<void>
  uninstall(teamId: string): Promise<void>
}

export function mountOAuth(gateway: Hono, { settings, log, ...store }: MountedOAuth): void {
  const { clientId, clientSecret, stateSecret } = settings.oauth
  const provider = new InstallProvider({
    clientId,
    clientSecret,
    stateSecret,
    directInstall: true,
    logger: slackLog(log),
    // Beside the API, on the same host; slack.com where nothing else is set.
    authorizationUrl: new URL('/oauth/v2/authorize', settings.apiUrl).href,
    clientOptions: { slackApiUrl: settings.apiUrl, retryConfig: { retries: 1 }, timeout: 10_000 },
    installationStore: {
      async storeInstallation(installation) {
        await store.install(toTeam(installation))
      },
      async fetchInstallation(query) {
        const team = await store.find(query.teamId ?? '')
        if (!team) throw new Error('There is no such installation.')
        return toInstallation(team) as never
      },
      deleteInstallation: (query) => store.uninstall(query.teamId ?? ''),
    },
  })
  const options = { scopes: [...slackScopes] }

  gateway.get(installPath, async (context) => {
    if (!isInstallLink(context.req.query(), stateSecret))
      return context.html(
        page('This link does not work (any more). Make a new one with "npm run slack:manifest -- --url … --install".'),
        403,
      )
    return hand(context, (request, response) => provider.handleInstallPath(request, response, {}, options))
  })

  gateway.get(callbackPath, (context) =>
    hand(context, (request, response) =>
      provider.handleCallback(request, response, {
        success(installation, _, __, answer) {
          const name = installation.team?.name ?? 'your Slack team'
          answer.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
          answer.end(String(page(`Quartermaster is installed in ${name}. Write to it in Slack.`)))
        },
        failure(error, _, __, answer) {
          log.warn({ reason: error.message }, 'an installation of the Slack app failed')
          answer.writeHead(400, { 'content-type': 'text/html; charset=utf-8' })
          answer.end(String(page('The app was not installed. Open the link again, in the same browser.')))
        },
      }),
    ),
  )
}

type Handle = (request: HttpBindings['incoming'], response: HttpBindings['outgoing']) => Promise<void>

/** Slack's library speaks Node's own requests; the gateway has them beside its own. */
async function hand(context: Context, handle: Handle): Promise<Response> {
  const { incoming, outgoing } = context.env as HttpBindings
  await handle(incoming, outgoing)
  return RESPONSE_ALREADY_SENT
}

function toTeam(installation: Installation): InstalledTeam {
  const { team, bot } = installation
  if (!team || !bot) throw new Error('The app has to be installed in a single Slack team, with its bot.')
  return { teamId: team.id, teamName: team.name ?? team.id, token: bot.token, botUserId: bot.userId, botId: bot.id }
}

const toInstallation = (team: InstalledTeam) => ({
  team: { id: team.teamId, name: team.teamName },
  enterprise: undefined,
  user: { token: undefined, scopes: undefined, id: '' },
  bot: { token: team.token, scopes: [], id: team.botId ?? '', userId: team.botUserId },
})

const page = (sentence: string) =>
  html`<!doctype html><meta charset="utf-8" /><title>Quartermaster</title><p>${sentence}</p>`
