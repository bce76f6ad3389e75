// The Channels area: how each connection is, who answers where, who may talk, and whether a message arrives.
import {
  admit,
  beat,
  claimDelivery,
  confirmDelivery,
  failDelivery,
  newId,
  receiveEvent,
  setChannelStatus,
} from '@quartermaster/db'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createTestWorkspace } from '../../packages/db/src/testing-workspace.ts'
import { narrow, useConsole } from './console.ts'

// The pages are many and the machine may be busy; what is awaited has its own time.
vi.setConfig({ testTimeout: 90_000 })
const it = useConsole()
let slack: string
let telegram: string
let agents: Record<string, string>

beforeAll(async () => {
  const channels = await it.db.prisma.channel.findMany({ where: { workspaceId: it.workspaceId } })
  slack = channels.find(({ kind }) => kind === 'slack')?.id as string
  telegram = channels.find(({ kind }) => kind === 'telegram')?.id as string
  const found = await it.db.prisma.agent.findMany({ where: { workspaceId: it.workspaceId, archivedAt: null } })
  agents = Object.fromEntries(found.map(({ name, id }) => [name, id]))
})

const botId = newId('prc')
type Health = { state: 'ok' | 'off' | 'warning' | 'problem'; detail: string; next: string | null }
const well: Health = { state: 'ok', detail: 'Fine.', next: null }

/** What the bot process says of its platforms; null while none is alive. */
let said: Partial<Record<'slack' | 'telegram', Health>> | null = {}
let beating: Promise<unknown> = Promise.resolve()

/** One after the other, so that a late beat does not wake a bot that was just ended. */
function beatOnce(): Promise<unknown> {
  beating = beating.then<unknown>(() =>
    said
      ? beat(it.db, {
          ...{ id: botId, kind: 'bot', version: '0.1.0', host: 'test', pid: 1, roles: ['worker', 'ingress'] },
          health: { slack: well, telegram: well, model: well, sandbox: well, ...said },
        })
      : it.db.pool.query('DELETE FROM processes WHERE id = $1', [botId]),
  )
  return beating
}
const beatAs = (health: typeof said) => {
  said = health
  return beatOnce()
}

beforeAll(() => {
  const timer = setInterval(beatOnce, 4_000)
  return () => {
    clearInterval(timer)
    return beating
  }
})

beforeEach(async () => {
  await beatAs({})
  for (const id of [slack, telegram]) await setChannelStatus(it.db, id, 'connected', '')
})

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const northwind = (page: Page) => card(page, 'Northwind')
const road = (page: Page) => card(page, 'Northwind on the road')

async function open(as = it.people.admin): Promise<Page> {
  const page = await it.page({ as })
  await page.goto('/channels')
  await page.getByRole('heading', { level: 1, name: 'Channels' }).waitFor()
  return page
}

const audit = async () =>
  (
    await it.db.pool.query(
      'SELECT action, actor_id, subject_id, data FROM audit_events WHERE workspace_id = $1 ORDER BY number',
      [it.workspaceId],
    )
  ).rows
async function auditedBy(work: () => Promise<unknown>) {
  const before = (await audit()).length
  await work()
  return (await audit()).slice(before)
}

const bindingsOf = async (channelId: string) =>
  Object.fromEntries(
    (await it.db.prisma.binding.findMany({ where: { channelId } })).map(({ place, agentId }) => [place, agentId]),
  )

async function mistakeAt(field: Locator): Promise<string | null> {
  await field.and(field.page().locator('[aria-invalid=true]')).waitFor()
  return field
    .page()
    .locator(`#${await field.getAttribute('aria-describedby')}`)
    .textContent()
}

test('each connection says in words how it is and what to do next, and again when that changes', async () => {
  const page = await open()
  await northwind(page).getByText('connected', { exact: true }).waitFor()
  await northwind(page).getByText('Messages are received and answered.').waitFor()

  await setChannelStatus(it.db, slack, 'failing', 'Slack refuses the token (token_revoked).')
  await beatAs({ slack: { state: 'problem', detail: 'Refused.', next: 'Install the app again.' } })
  // Nobody reloads: the page does, every ten seconds.
  await northwind(page).getByText('failing', { exact: true }).waitFor({ timeout: 40_000 })
  await northwind(page).getByText('Slack refuses the token (token_revoked).').waitFor()
  await northwind(page).getByText('→ Install the app again.').waitFor()
  await road(page).getByText('connected', { exact: true }).waitFor()

  await beatAs({ slack: { state: 'off', detail: 'No app is connected.', next: 'Set SLACK_BOT_TOKEN.' } })
  await page.reload()
  await northwind(page).getByText('not connected', { exact: true }).waitFor()
  await northwind(page).getByText('→ Set SLACK_BOT_TOKEN.').waitFor()

  await beatAs(null)
  await page.reload()
  await road(page).getByText('No bot process is alive, so nothing is received and nothing is sent.').waitFor()
  await road(page).getByText('→ Start everything with “npm start”.').waitFor()
})

test('where nothing is connected, the page says what to do for each platform', async () => {
  const page = await it.page({ as: it.first.email })
  await page.context().addCookies([{ name: 'qm.workspace', value: it.emptyWorkspaceId, url: it.url }])
  await page.goto('/channels')
  const slackSteps = card(page, 'Connect Slack')
  for (const text of ['npm run slack:manifest', 'SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'docs/slack.md'])
    await slackSteps.getByText(text, { exact: true }).waitFor()
  const telegramSteps = card(page, 'Connect Telegram')
  for (const text of ['@BotFather', 'TELEGRAM_BOT_TOKEN', 'docs/telegram.md'])
    await telegramSteps.getByText(text, { exact: true }).waitFor()
  // A connection that appears takes the place of its steps.
  await it.db.pool.query(
    `INSERT INTO channels (id, workspace_id, kind, name, external_id) VALUES ($1, $2, 'telegram', '@house_bot', '900')`,
    [newId('chn'), it.emptyWorkspaceId],
  )
  await page.reload()
  await card(page, '@house_bot').waitFor()
  expect(await telegramSteps.count()).toBe(0)
  expect(await slackSteps.count()).toBe(1)
})

test('the default agent is changed, saved and audited, and Save waits until there is something to save', async () => {
  const page = await open()
  const choice = northwind(page).getByLabel('Who answers by default in Northwind', { exact: true })
  const save = northwind(page).getByRole('button', { name: 'Save: Who answers by default in Northwind' })
  expect(await save.isDisabled()).toBe(true)
  const before = await choice.inputValue()
  const [name, id] = Object.entries(agents).find(([, candidate]) => candidate !== before) as [string, string]
  const events = await auditedBy(async () => {
    await choice.selectOption({ label: name })
    await save.click()
    await page.getByText('Saved. That agent answers wherever nothing else is bound.').waitFor()
  })
  expect(events).toMatchObject([
    {
      action: 'channel.set-default-agent',
      actor_id: it.people.admin.memberId,
      subject_id: slack,
      data: { agentId: { before, after: id } },
    },
  ])
  await page.reload()
  expect(await choice.inputValue()).toBe(id)
})

test('a place is bound, changed and unbound; what is no place is explained and kept', async () => {
  const page = await open()
  const [one, two] = Object.keys(agents) as [string, string]
  const place = northwind(page).getByLabel('Another place')
  const bind = northwind(page).getByRole('button', { name: 'Bind', exact: true })

  const refused = await auditedBy(async () => {
    await place.fill('#general')
    await bind.click()
    expect(await mistakeAt(place)).toMatch(/^Expected the id of a Slack channel, such as C024BE91L/)
    expect(await place.inputValue()).toBe('#general')
  })
  expect(refused).toEqual([])

  await place.fill('https://northwind.slack.com/archives/C0NEWPLACE')
  await northwind(page).getByLabel('is answered by').selectOption({ label: one })
  await bind.click()
  await page.getByText('Saved. That agent answers in C0NEWPLACE.').waitFor()
  expect((await bindingsOf(slack)).C0NEWPLACE).toBe(agents[one])

  await northwind(page).getByLabel('Who answers in C0NEWPLACE', { exact: true }).selectOption({ label: two })
  await northwind(page).getByRole('button', { name: 'Save: Who answers in C0NEWPLACE' }).click()
  await expect.poll(async () => (await bindingsOf(slack)).C0NEWPLACE, { timeout: 15_000 }).toBe(agents[two])

  await northwind(page).getByRole('button', { name: 'Unbind C0NEWPLACE' }).click()
  const dialog = page.getByRole('dialog', { name: 'Unbind C0NEWPLACE?' })
  await dialog.getByText(`${two} answers there no more;`).waitFor()
  await dialog.getByRole('button', { name: 'Keep it' }).click()
  expect((await bindingsOf(slack)).C0NEWPLACE).toBe(agents[two])
  await northwind(page).getByRole('button', { name: 'Unbind C0NEWPLACE' }).click()
  await dialog.getByRole('button', { name: 'Unbind it' }).click()
  await page.getByText('The default agent answers in C0NEWPLACE.').waitFor()
  expect(await bindingsOf(slack)).not.toHaveProperty('C0NEWPLACE')
  expect((await audit()).slice(-3).map(({ action }) => action)).toEqual([
    'binding.save',
    'binding.save',
    'binding.remove',
  ])
})

test('places where somebody wrote are offered to be bound, with what was said there', async () => {
  await speak('-100777', 'Is the van back yet?')
  const page = await open()
  const id = await road(page).getByLabel('Another place').getAttribute('list')
  const option = page.locator(`datalist[id="${id}"] option[value="-100777"]`)
  expect(await option.getAttribute('label')).toBe('“Is the van back yet?”')
})

test('the allow-list decides who may talk, is kept when it has a mistake, and whoever was turned away is let in', async () => {
  const talk = (externalId: string, username?: string) =>
    admit(it.db, { channelId: telegram, person: { externalId, name: externalId, ...(username ? { username } : {}) } })
  expect(await talk('4711')).toMatchObject({ stranger: true })
  const page = await open()
  const list = road(page).getByLabel('People who may talk to it')
  const save = road(page).getByRole('button', { name: 'Save who may talk' })

  await list.fill('@ada_lovelace\nnobody at all')
  await save.click()
  expect(await mistakeAt(list)).toBe('“nobody” is neither an @name nor the number of a person on Telegram.')
  expect(await list.inputValue()).toBe('@ada_lovelace\nnobody at all')

  await list.fill('@ada_lovelace\n555')
  await save.click()
  await page.getByText('Saved. It counts from the next message on.').waitFor()
  expect(await talk('1', 'Ada_Lovelace')).toMatchObject({ role: 'member' })
  expect(await talk('555')).toMatchObject({ role: 'member' })

  await road(page).getByRole('button', { name: 'Let 4711 in' }).click()
  await page.getByText(/^4711 may talk to it\./).waitFor()
  expect(await talk('4711')).toMatchObject({ role: 'member' })
  await expect.poll(() => list.inputValue(), { timeout: 15_000 }).toBe('@ada_lovelace\n555\n4711')

  await list.fill('4711')
  await save.click()
  await expect.poll(() => talk('555'), { timeout: 15_000 }).toMatchObject({ stranger: true })
  expect(await talk('4711')).toMatchObject({ role: 'member' })
})

test('a Slack team is closed to all but the listed, and opened again', async () => {
  const talk = (user: string) =>
    admit(it.db, { channelId: slack, person: { externalId: `T04NORTHWND:${user}`, name: user } })
  const page = await open()
  await northwind(page)
    .getByRole('radio', { name: /^Only who is linked or listed/ })
    .check()
  await northwind(page).getByLabel('Also these people').fill('U0LISTED1')
  await northwind(page).getByRole('button', { name: 'Save who may talk' }).click()
  await page.getByText('Saved. It counts from the next message on.').waitFor()
  expect(await talk('U0ANYBODY')).toMatchObject({ stranger: true })
  expect(await talk('U0LISTED1')).toMatchObject({ role: 'member' })
  await page.reload()
  expect(await northwind(page).getByRole('radio', { checked: true }).getAttribute('value')).toBe('listed')

  await northwind(page)
    .getByRole('radio', { name: /^Everybody of the team/ })
    .check()
  await northwind(page).getByRole('button', { name: 'Save who may talk' }).click()
  await expect.poll(() => talk('U0ANYBODY'), { timeout: 15_000 }).toMatchObject({ role: 'member' })
})

test('a test message goes out as a delivery, and the page says what became of it', async () => {
  await speak('-100888', 'Anybody here?')
  const page = await open()
  const { rows } = await it.db.pool.query(`SELECT id FROM conversations WHERE external_key = '-100888'`)
  /** Presses the button, and takes the delivery up as the bot does. */
  const send = async () => {
    await road(page).getByLabel('To', { exact: true }).selectOption('-100888')
    await road(page).getByRole('button', { name: 'Send a test' }).click()
    return vi.waitFor(
      async () => {
        const claimed = await claimDelivery(it.db, { processId: botId, conversationId: rows[0].id })
        if (!claimed) throw new Error('nothing waits for that chat')
        return claimed
      },
      { timeout: 20_000 },
    )
  }
  const sent = await send()
  expect(sent).toMatchObject({
    conversationKey: '-100888',
    kind: 'notice',
    payload: { kind: 'notice', text: 'Adam Admin sends a test message from the console. Nothing needs to be done.' },
  })
  await confirmDelivery(it.db, sent, '1')
  await page.getByText('The test message is in -100888.').waitFor()

  await failDelivery(it.db, await send(), 'the bot was kicked from the group')
  await road(page)
    .getByRole('alert')
    .getByText('It could not be sent to -100888: the bot was kicked from the group.')
    .waitFor()

  await beatAs(null)
  await road(page).getByRole('button', { name: 'Send a test' }).click()
  await page.getByText('It waits: no bot process is alive. It is sent when one is.').waitFor()
})

test('only admins and owners get the page, and only they find it in the navigation', async () => {
  for (const role of ['owner', 'admin', 'approver', 'member', 'viewer'] as const) {
    const page = await it.page({ as: it.people[role] })
    const answer = await page.goto('/channels')
    const may = role === 'owner' || role === 'admin'
    expect([role, answer?.status()]).toEqual([role, may ? 200 : 403])
    const link = page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'Channels' })
    expect([role, await link.count()]).toEqual([role, may ? 1 : 0])
  }
})

test('another workspace’s connection is neither shown nor changed by its id; an own one is', async () => {
  const other = await createTestWorkspace(it.db)
  const theirs = newId('chn')
  await it.db.pool.query(
    `INSERT INTO channels (id, workspace_id, kind, name, external_id, default_agent_id)
     VALUES ($1, $2, 'slack', 'Canary Inc', 'T0CANARY', $3)`,
    [theirs, other.workspaceId, other.agentId],
  )
  const page = await open()
  expect(await page.content()).not.toContain('Canary Inc')
  const aim = (region: Locator, channelId: string) =>
    region
      .locator('form')
      .filter({ has: page.getByLabel('Another place') })
      .locator('input[name=channelId]')
      .evaluate((input, value) => ((input as HTMLInputElement).value = value), channelId)
  const bind = async () => {
    await northwind(page).getByLabel('Another place').fill('C0FOREIGN1')
    await northwind(page).getByRole('button', { name: 'Bind', exact: true }).click()
  }
  const events = await auditedBy(async () => {
    await aim(northwind(page), theirs)
    await bind()
    await northwind(page).getByText('There is no such connection in this workspace. Reload the page.').waitFor()
  })
  expect(events).toEqual([])
  expect(await bindingsOf(theirs)).toEqual({})
  await aim(northwind(page), slack)
  await bind()
  await page.getByText('Saved. That agent answers in C0FOREIGN1.').waitFor()
})

test('on a phone everything fits the width and can be used', async () => {
  const page = await it.page({ as: it.people.admin, viewport: narrow })
  await page.goto('/channels')
  await northwind(page).waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width)
  await northwind(page).getByLabel('Another place').fill('C0PHONE001')
  await northwind(page).getByRole('button', { name: 'Bind', exact: true }).click()
  await page.getByText('Saved. That agent answers in C0PHONE001.').waitFor()
})

/** A first word in a group on Telegram. */
const speak = (chat: string, text: string) =>
  receiveEvent(it.db, {
    ...{ channelId: telegram, eventId: newId('event'), place: chat, conversationKey: chat, title: text },
    memberId: it.people.member.memberId,
    content: [{ type: 'text', text }],
  })
