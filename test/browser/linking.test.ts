// One person on every platform: codes from the console, and the accounts that are linked.
import { admit, createLinkCode, newId, redeemLinkCode } from '@quartermaster/db'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test, vi } from 'vitest'
import { useConsole } from './console.ts'
import { addPerson, type Person } from './people.ts'

// A code is looked after by the page itself, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 90_000 })
const it = useConsole()
let telegram: string
let slack: string

beforeAll(async () => {
  const channels = await it.db.prisma.channel.findMany({ where: { workspaceId: it.workspaceId } })
  telegram = channels.find(({ kind }) => kind === 'telegram')?.id as string
  slack = channels.find(({ kind }) => kind === 'slack')?.id as string
  await it.db.pool.query(`UPDATE channels SET name = '@northwind_road_bot' WHERE id = $1`, [telegram])
})

const linked = (page: Page) => page.getByRole('region', { name: 'Linked accounts', exact: true })

async function open(as: Person): Promise<Page> {
  const page = await it.page({ as })
  await page.goto('/settings/account')
  await linked(page).waitFor()
  return page
}

/** What stands after the command, on the page. */
async function codeOn(page: Page): Promise<string> {
  const command = linked(page).getByText(/^\/link [A-Z0-9-]+$/)
  await command.waitFor()
  return ((await command.textContent()) ?? '').replace('/link ', '')
}

const redeem = (code: string, channelId: string, externalId: string, name: string) =>
  redeemLinkCode(it.db, { code, channelId, person: { externalId, name } })

test('a code is got, said on Telegram, and the account appears without a reload; then the code is shown no more', async () => {
  const person = await addPerson(it.db, { name: 'Lin Ker', role: 'approver', workspaceIds: [it.workspaceId] })
  const page = await open(person)
  await linked(page).getByText('how you sign in').waitFor()
  await linked(page).getByRole('button', { name: 'Get a code' }).click()
  const code = await codeOn(page)
  expect(code).toMatch(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/)
  await linked(page).getByText(`/qm link ${code}`, { exact: true }).waitFor()
  await linked(page)
    .getByText(/ten minutes and for one use/)
    .waitFor()

  // A bot whose name is known is one tap away.
  expect(
    await linked(page).getByRole('link', { name: 'or open @northwind_road_bot with it' }).getAttribute('href'),
  ).toBe(`https://t.me/northwind_road_bot?start=${code.replace('-', '')}`)

  expect(await redeem(code, telegram, '31337', 'Lin on the phone')).toMatchObject({
    ok: true,
    memberId: person.memberId,
  })
  await linked(page).getByText('Lin on the phone', { exact: true }).waitFor({ timeout: 30_000 })
  expect(await linked(page).getByText(code).count()).toBe(0)
  expect(await admit(it.db, { channelId: telegram, person: { externalId: '31337', name: 'x' } })).toMatchObject({
    memberId: person.memberId,
    role: 'approver',
  })
})

test('a second code makes the first one worthless', async () => {
  const page = await open(it.people.viewer)
  await linked(page).getByRole('button', { name: 'Get a code' }).click()
  const first = await codeOn(page)
  await linked(page).getByRole('button', { name: 'Get another code' }).click()
  await linked(page).getByText(`/link ${first}`, { exact: true }).waitFor({ state: 'detached' })
  const second = await codeOn(page)
  expect(await redeem(first, telegram, '600', 'x')).toMatchObject({ ok: false, reason: 'wrong' })
  expect(await redeem(second, telegram, '600', 'x')).toMatchObject({ ok: true, memberId: it.people.viewer.memberId })
})

test('a code is on the page only for whoever got it, and after a reload for nobody', async () => {
  const page = await open(it.people.member)
  await linked(page).getByRole('button', { name: 'Get a code' }).click()
  const code = await codeOn(page)
  await page.reload()
  await linked(page).getByRole('button', { name: 'Get a code' }).waitFor()
  expect(await page.content()).not.toContain(code)
  expect(it.log()).not.toContain(code)
})

test('unlinking names the account, keeps it on second thoughts, and then whoever writes from it is not you', async () => {
  const person = await addPerson(it.db, { name: 'Una Linked', role: 'admin', workspaceIds: [it.workspaceId] })
  const { code } = await createLinkCode(it.db, { workspaceId: it.workspaceId, memberId: person.memberId })
  await redeem(code, slack, 'T04NORTHWND:U0UNA', 'una')
  const page = await open(person)
  await linked(page)
    .getByText(/^Slack · Northwind · since/)
    .waitFor()
  const button = linked(page).getByRole('button', { name: 'Unlink una on Slack' })
  await button.click()
  const dialog = page.getByRole('dialog', { name: 'Unlink una on Slack?' })
  await dialog.getByRole('button', { name: 'Keep it' }).click()
  expect(await it.db.prisma.identity.count({ where: { memberId: person.memberId } })).toBe(2)

  await button.click()
  await dialog.getByRole('button', { name: 'Unlink it' }).click()
  await page.getByText('It is unlinked.').waitFor()
  await button.waitFor({ state: 'detached' })
  const [event] = await it.db.prisma.auditEvent.findMany({
    where: { workspaceId: it.workspaceId, action: 'member.unlink-identity' },
  })
  expect(event).toMatchObject({ actorId: person.memberId, data: { kind: 'slack', externalId: 'T04NORTHWND:U0UNA' } })
  const back = await admit(it.db, { channelId: slack, person: { externalId: 'T04NORTHWND:U0UNA', name: 'una' } })
  expect(back).toMatchObject({ role: 'member' })
  expect(back).not.toMatchObject({ memberId: person.memberId })
})

test('nobody unlinks another’s account or their own sign-in, and everybody their own account', async () => {
  const person = await addPerson(it.db, { name: 'Own Only', role: 'owner', workspaceIds: [it.workspaceId] })
  const add = async (memberId: string, externalId: string) => {
    const id = newId('idn')
    await it.db.pool.query(
      `INSERT INTO identities (id, workspace_id, member_id, kind, external_id, display_name)
       VALUES ($1, $2, $3, 'telegram', $4, $4)`,
      [id, it.workspaceId, memberId, externalId],
    )
    return id
  }
  const own = await add(person.memberId, '7001')
  const foreign = await add(it.people.admin.memberId, '7002')
  const { id: login } = await it.db.prisma.identity.findFirstOrThrow({
    where: { memberId: person.memberId, kind: 'console' },
  })
  const page = await open(person)
  const there = () => it.db.prisma.identity.count({ where: { id: { in: [own, foreign, login] } } })
  const unlink = async (identityId: string, answer: string) => {
    await linked(page).getByRole('button', { name: 'Unlink 7001 on Telegram' }).click()
    const dialog = page.getByRole('dialog')
    await dialog
      .locator('input[name=identityId]')
      .evaluate((input, value) => ((input as HTMLInputElement).value = value), identityId)
    await dialog.getByRole('button', { name: 'Unlink it' }).click()
    await page.getByText(answer).first().waitFor()
    await page.reload()
  }
  await unlink(foreign, 'It was unlinked already.')
  await unlink(login, 'This is how you sign in to the console.')
  expect(await there()).toBe(3)
  await unlink(own, 'It is unlinked.')
  expect(await there()).toBe(2)
})

test('where no platform is connected there is no code to get, and a word on who changes that', async () => {
  const person = await addPerson(it.db, { name: 'Early Bird', role: 'viewer', workspaceIds: [it.emptyWorkspaceId] })
  const page = await open(person)
  await linked(page)
    .getByText(/Neither Slack nor Telegram is connected/)
    .waitFor()
  expect(await linked(page).getByRole('button', { name: 'Get a code' }).count()).toBe(0)
})
