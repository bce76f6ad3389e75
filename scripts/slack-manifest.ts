// npm run slack:manifest [-- --url https://qm.example.com] [--name Name] [--json]: the Slack app as JSON, and a link
// that makes it with one click. With --url it is made for HTTP and OAuth; without it, for Socket Mode.
// npm run slack:manifest -- --url https://qm.example.com --install: a link that installs the app in one more Slack team.
import { parseArgs } from 'node:util'
import { Problem } from '@quartermaster/db'
import { createInstallLink } from '../apps/bot/src/channels/slack/connect/install-link.ts'
import { createManifest, manifestLink } from '../apps/bot/src/channels/slack/manifest.ts'
import { readBotEnv } from '../apps/bot/src/env.ts'
import { runProgram } from './program.ts'

await runProgram(async () => {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      name: { type: 'string' },
      json: { type: 'boolean', default: false },
      install: { type: 'boolean', default: false },
    },
  })
  const { url, name } = values
  if (url !== undefined && !/^https:\/\/[^\s/]+/.test(url))
    throw new Problem(
      '--url is no address that Slack could reach.',
      'npm run slack:manifest -- --url https://qm.example.com',
    )
  if (name !== undefined && !/^.{1,35}$/.test(name))
    throw new Problem('A name has 1 to 35 characters in Slack.', 'npm run slack:manifest -- --name Quartermaster')
  if (values.install) {
    console.log(installLink(url))
    return 0
  }
  const manifest = createManifest({ ...(url ? { gatewayUrl: url } : {}), ...(name ? { name } : {}) })
  console.log(JSON.stringify(manifest, null, 2))
  if (!values.json)
    console.log(`\nOpen this link to make the app with all of it (docs/slack.md):\n\n${manifestLink(manifest)}`)
  return 0
})

function installLink(url: string | undefined): string {
  const oauth = readBotEnv().slack?.oauth
  if (!oauth)
    throw new Problem(
      'Teams cannot install the app: OAuth is not set up.',
      'Set SLACK_CLIENT_ID, SLACK_CLIENT_SECRET and SLACK_STATE_SECRET.',
    )
  if (!url)
    throw new Problem(
      'Where is the gateway of the bot reached?',
      'npm run slack:manifest -- --url https://qm.example.com --install',
    )
  return `Whoever opens this link within an hour can install the app in their Slack team:\n\n${createInstallLink(url, oauth.stateSecret)}`
}
