// Who may see and do what, asked of the server itself: pages as HTML and as the router fetches them, actions by their
// id and without any button. The tables are checked against the build, so that nothing new is left out of them.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId, projectRoot, type Role, readSettings, roles } from '@quartermaster/db'
import { describe, expect, test } from 'vitest'
import type { TestedAction } from './area.ts'
import { built, resultOf, useActions } from './call-action.ts'
import { signIn, useConsole } from './console.ts'
import { findAreas, together } from './find-areas.ts'
import { otherTenant } from './other-tenant.ts'
import { addPerson, password } from './people.ts'

const it = useConsole()

const areas = await findAreas()
const pages = together<Role>(areas.map((area) => area.pages))
const byId = together<string>(areas.map((area) => area.byId))
const actions = together<TestedAction>(areas.map((area) => area.actions))

/** What everybody may ask for: it shows nothing of a workspace. */
const open = [
  '/',
  '/sign-in',
  '/invite/[token]',
  '/icon.svg',
  '/_not-found',
  '/_global-error',
  '/api/auth/[...nextauth]',
]

/** Actions that are no change of the workspace, or are for people who are not in it yet (members.test.ts). */
const otherActions = ['chooseWorkspace', 'acceptInvite', 'joinWorkspace']

const may = (role: Role, needed: Role) => roles.indexOf(role) <= roles.indexOf(needed)

const { names: actionNames, call, callWith } = useActions(it)

const workspaceName = async () =>
  (await it.db.prisma.workspace.findUniqueOrThrow({ where: { id: it.workspaceId } })).name
const auditCount = () => it.db.prisma.auditEvent.count({ where: { workspaceId: it.workspaceId } })

test('every page and every action of the build is in the tables of an area', () => {
  const routes = Object.keys(built<Record<string, string>>('app-paths-manifest.json')).map(
    (path) => path.replace('/(console)', '').replace(/\/(page|route)$/, '') || '/',
  )
  expect(routes.sort()).toEqual([...Object.keys(pages), ...Object.keys(byId), ...open].sort())
  for (const file of Object.values(byId)) expect(existsSync(join(import.meta.dirname, file)), file).toBe(true)
  expect(actionNames().sort()).toEqual([...Object.keys(actions), ...otherActions].sort())
})

describe.for(roles)('the %s', (role) => {
  test('opens the pages of the role and is refused the others, as HTML and as data', async () => {
    const { request } = await it.context({ as: it.people[role] })
    for (const [path, needed] of Object.entries(pages)) {
      if (path === '/settings') continue // It only leads to /settings/account.
      const html = await request.get(path, { maxRedirects: 0 })
      const rsc = await request.get(path, { maxRedirects: 0, headers: { rsc: '1' } })
      expect([path, html.status()]).toEqual([path, may(role, needed) ? 200 : 403])
      const shown = (await html.text()) + (await rsc.text())
      // As a field or as its data; the audit log may speak of it.
      expect([path, /id="questionExpiryHours"|"questionExpiryHours":/.test(shown)]).toEqual([
        path,
        path === '/settings/workspace' && may(role, needed),
      ])
      expect([path, shown.includes('_prisma_migrations') || shown.includes('>Master key<')]).toEqual([
        path,
        path === '/settings/installation' && may(role, needed),
      ])
    }
  })

  test('finds in the navigation what the role opens, and nothing else', async () => {
    const page = await it.page({ as: it.people[role] })
    await page.goto('/settings')
    const shown = await page.getByRole('navigation', { name: 'Settings' }).getByRole('link').allTextContents()
    expect(shown).toEqual(
      may(role, 'admin')
        ? ['Your account', 'Appearance', 'Workspace', 'Prices', 'Installation']
        : ['Your account', 'Appearance'],
    )
    await page.goto('/settings/workspace')
    const heading = may(role, 'admin') ? 'Settings' : 'Your role does not open this page'
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  })

  test('may call the actions of the role, and the others change nothing', async () => {
    const own = it.people[role]
    const { request } = await it.context({ as: own })
    for (const [name, { needs, form }] of Object.entries(actions)) {
      const filled = await form(own, it)
      const before = { audit: await auditCount(), name: await workspaceName() }
      const settings = await readSettings(it.db, it.workspaceId)
      const answer = await call(request, name, filled)
      // What takes away the page that it is on leads to another one, and says nothing more.
      if (may(role, needs) && answer.headers()['x-action-redirect']?.startsWith('/')) {
        expect([name, answer.headers()['x-action-redirect']]).not.toEqual([name, expect.stringContaining('/sign-in')])
        continue
      }
      const result = await resultOf(answer)
      if (may(role, needs)) {
        expect([name, result]).toMatchObject([name, { ok: true, message: expect.any(String) }])
        continue
      }
      expect(result).toEqual({ ok: false, message: `This needs the role ${needs}; yours is ${role}.` })
      expect({ audit: await auditCount(), name: await workspaceName() }).toEqual(before)
      expect(await readSettings(it.db, it.workspaceId)).toEqual(settings)
    }
    if (may(role, 'admin')) expect(await workspaceName()).toBe(`Named by ${role}`)
  })
})

test('somebody who is not signed in gets no page and no action', async () => {
  const { request } = await it.context()
  for (const path of Object.keys(pages)) {
    const answer = await request.get(path, { maxRedirects: 0 })
    expect([path, answer.status(), answer.headers().location]).toEqual([
      path,
      307,
      `/sign-in?next=${encodeURIComponent(path)}`,
    ])
  }
  for (const [name, { form }] of Object.entries(actions)) {
    const filled = await form(it.people.owner, it)
    const before = await auditCount()
    const answer = await call(request, name, filled)
    expect([name, answer.headers()['x-action-redirect']]).toEqual([name, '/sign-in;push'])
    expect([name, await auditCount()]).toEqual([name, before])
  }
})

describe('of another workspace', () => {
  test('nothing is shown, and its own owner sees all of it', async () => {
    const other = await otherTenant(it.db)
    const theirs = await addPerson(it.db, { name: 'Other Owner', role: 'owner', workspaceIds: [other.workspaceId] })
    const ours = (await it.context({ as: it.people.owner })).request
    const own = (await it.context({ as: theirs })).request
    for (const path of ['/overview', '/overview?period=24h', '/channels', '/settings/account', '/settings/workspace']) {
      const [mine, other_] = await Promise.all([ours.get(path), own.get(path)].map(async (got) => (await got).text()))
      expect([path, mine?.includes(other.canary)]).toEqual([path, false])
      expect([path, other_?.includes(other.canary)]).toEqual([path, true])
      expect([path, other_?.includes('Northwind')]).toEqual([path, false])
    }
    const overview = await (await own.get('/overview')).text()
    for (const text of other.shown) expect(overview).toContain(text)
  })

  test('a workspace cookie that names it means nothing, and one that names an own workspace chooses it', async () => {
    const other = await otherTenant(it.db)
    const context = await it.context({ as: it.first.email })
    const shown = async (workspaceId: string) => {
      await context.addCookies([{ name: 'qm.workspace', value: workspaceId, url: it.url }])
      return (await context.request.get('/overview')).text()
    }
    const foreign = await shown(other.workspaceId)
    expect(foreign).not.toContain(other.canary)
    expect(await shown(it.workspaceId)).not.toContain('First steps')
    expect(await shown(it.emptyWorkspaceId)).toContain('First steps')
  })

  test('choosing it is refused, and choosing an own one is not', async () => {
    const other = await otherTenant(it.db)
    const context = await it.context({ as: it.first.email })
    const choose = (id: unknown) => callWith(context.request, 'chooseWorkspace', JSON.stringify([id]))
    const chosen = async () => (await context.cookies()).find((cookie) => cookie.name === 'qm.workspace')?.value
    for (const wrong of [other.workspaceId, 'none', null, { toString: 'x' }]) {
      expect((await choose(wrong)).status()).toBe(403)
      expect(await chosen()).toBeUndefined()
    }
    expect((await choose(it.emptyWorkspaceId)).headers()['x-action-redirect']).toBe('/overview;push')
    expect(await chosen()).toBe(it.emptyWorkspaceId)
  })

  test('nobody signs out another person’s browser, and everybody their own', async () => {
    const person = await addPerson(it.db, { name: 'Steady Reader', role: 'viewer', workspaceIds: [it.workspaceId] })
    const [first, second] = await Promise.all([it.context(), it.context()])
    for (const context of [first, second]) await signIn(context.request, it.url, { email: person.email, password })
    const sessions = await it.db.prisma.loginSession.findMany({ where: { loginId: person.loginId } })
    const alive = () => it.db.prisma.loginSession.count({ where: { loginId: person.loginId, revokedAt: null } })

    const { request } = await it.context({ as: it.people.owner })
    for (const { id } of sessions) await call(request, 'revokeBrowser', { sessionId: id })
    expect(await alive()).toBe(2)
    const session = { sessionId: sessions[0]?.id as string }
    await call(first.request, 'revokeBrowser', session)
    expect(await alive()).toBe(1)
  })
})

describe('an action', () => {
  test('is called from no other origin, whichever it is, and from none without one', async () => {
    const { request } = await it.context({ as: it.people.owner })
    const before = await auditCount()
    for (const name of actionNames())
      for (const origin of [null, `${it.url}.evil.example`])
        expect([name, origin, (await call(request, name, {}, origin)).status()]).toEqual([name, origin, 403])
    expect(await auditCount()).toBe(before)
  })

  test('goes through the one way into every mutation, or looks at who calls and from where by itself', () => {
    const root = join(projectRoot, 'apps/admin/src')
    const files = (readdirSync(root, { recursive: true }) as string[]).filter((file) => /\.tsx?$/.test(file))
    const found = files.flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      if (!text.startsWith("'use server'")) return []
      return [...text.matchAll(/^export (?:const|async function|function) (\w+)(.*)$/gm)].map((match) => ({
        name: match[1] as string,
        isAdminAction: / = adminAction\(/.test(match[2] as string),
        checksOrigin: /!== (\(await ownOrigin\(\)\)|origin)\) forbidden\(\)/.test(text),
      }))
    })
    expect(found.map(({ name }) => name).sort()).toEqual(actionNames().sort())
    for (const { name, isAdminAction, checksOrigin } of found)
      expect([name, isAdminAction || (otherActions.includes(name) && checksOrigin)]).toEqual([name, true])
  })

  test('that is called from another origin is refused and changes nothing, and from our own it changes', async () => {
    const { request } = await it.context({ as: it.people.admin })
    const name = `Renamed ${newId('x')}`
    for (const origin of [
      'https://evil.example',
      'null',
      it.url.replace('localhost', '127.0.0.1'),
      `${it.url}.evil.example`,
    ]) {
      const answer = await call(request, 'saveName', { name }, origin)
      expect([origin, answer.status()]).toEqual([origin, 403])
    }
    expect(await workspaceName()).not.toBe(name)
    expect(await resultOf(await call(request, 'saveName', { name }))).toMatchObject({ ok: true })
    expect(await workspaceName()).toBe(name)
  })

  test('that is called with nonsense says what is wrong and gives nothing away', async () => {
    const { request } = await it.context({ as: it.people.admin })
    const before = await auditCount()
    for (const body of ['[null,"text"]', '[]', '[null,{"name":"x"}]', '[null,["name","x"]]']) {
      const answer = await callWith(request, 'saveName', body)
      expect([body, await resultOf(answer)]).toEqual([
        body,
        { ok: false, message: expect.any(String), fields: expect.any(Object) },
      ])
    }
    const answer = await call(request, 'saveName', { name: 'x'.repeat(81) })
    expect((await resultOf(answer)).fields).toEqual({ name: 'Expected at most 80 characters.' })
    expect(await auditCount()).toBe(before)
  })
})
