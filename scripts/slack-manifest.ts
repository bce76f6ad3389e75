// npm run slack:manifest [-- --url https://qm.example.com] [--name Name] [--json]: the Slack app as JSON, and a link
// that makes it with one click. With --url it is made for HTTP and OAuth; without it, for Socket Mode.
import { parseArgs } from 'node:util'
import { Problem } from '@quartermaster/db'
import { createManifest, manifestLink } from '../apps/bot/src/channels/slack/manifest.ts'
import { runProgram } from './program.ts'

await runProgram(async () => {
  const { values } = parseArgs({
    options: { url: { type: 'string' }, name: { type: 'string' }, json: { type: 'boolean', default: false } },
  })
  if (values.url !== undefined && !/^https:\/\/[^\s/]+/.test(values.url))
    throw new Problem(
      '--url is no address that Slack could reach.',
      'npm run slack:manifest -- --url https://qm.example.com',
    )
  if (values.name !== undefined && !/^.{1,35}$/.test(values.name))
    throw new Problem('A name has 1 to 35 characters in Slack.', 'npm run slack:manifest -- --name Quartermaster')
  const manifest = createManifest({
    ...(values.url ? { gatewayUrl: values.url } : {}),
    ...(values.name ? { name: values.name } : {}),
  })
  console.log(JSON.stringify(manifest, null, 2))
  if (!values.json)
    console.log(`\nOpen this link to make the app with all of it (docs/slack.md):\n\n${manifestLink(manifest)}`)
  return 0
})
