import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { slackEvents } from '../../health/slack-scopes.ts'
import { createManifest, manifestLink } from './manifest.ts'

test('the app is made for Socket Mode where no address is given, and for requests where one is', () => {
  expect(createManifest().settings).toMatchObject({ socket_mode_enabled: true, interactivity: { is_enabled: true } })
  expect(JSON.stringify(createManifest())).not.toMatch(/url"/)
  const manifest = createManifest({ gatewayUrl: 'https://qm.example.com/' })
  expect(manifest.settings).toMatchObject({
    socket_mode_enabled: false,
    event_subscriptions: { request_url: 'https://qm.example.com/slack/events' },
    interactivity: { request_url: 'https://qm.example.com/slack/events' },
  })
  expect(manifest.oauth_config).toMatchObject({ redirect_urls: ['https://qm.example.com/slack/oauth_redirect'] })
})

test('it keeps to the lengths that Slack takes', () => {
  const { display_information, features } = createManifest({ name: 'Quartermaster of the Northern Office' })
  expect(display_information.description?.length).toBeLessThanOrEqual(140)
  expect(features?.agent_view?.agent_description?.length).toBeLessThanOrEqual(300)
  expect(features?.agent_view?.suggested_prompts?.length).toBeLessThanOrEqual(4)
  expect(features?.bot_user?.display_name).toMatch(/^[a-z0-9._-]{1,80}$/)
  for (const { name, description } of features?.shortcuts ?? []) {
    expect(name.length).toBeLessThanOrEqual(30)
    expect(description.length).toBeLessThanOrEqual(150)
  }
})

test('it subscribes to every event that somebody listens to, and to no other', () => {
  const code = readFileSync(join(import.meta.dirname, 'receive/listen.ts'), 'utf8')
  const named = slackEvents.map((event) => event.replace(/^message\..*/, 'message'))
  for (const event of named) expect(code, event).toContain(`'${event}'`)
  for (const [, event] of code.matchAll(/app\.event\('(\w+)'/g)) expect(named).toContain(event)
})

test('the link holds the whole manifest', () => {
  const link = new URL(manifestLink(createManifest({ name: 'A & B' })))
  expect(`${link.origin}${link.pathname}`).toBe('https://api.slack.com/apps')
  expect(link.searchParams.get('new_app')).toBe('1')
  expect(JSON.parse(link.searchParams.get('manifest_json') ?? '')).toEqual(createManifest({ name: 'A & B' }))
})
