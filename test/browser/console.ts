// The built console on a database of the test file's own, and one browser. Every page that a test opens is watched:
// what the browser complains about (a script that the policy refused, markup that does not match, an exception)
// fails the test.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkMasterKey, type Database, masterKeyOf, type Role, seedFirstData } from '@quartermaster/db'
import { seedDemo } from '@quartermaster/db/demo'
import { createTestDatabase, type TestDatabase, useTemplate } from '@quartermaster/db/testing'
import type { APIRequestContext, Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, onTestFinished } from 'vitest'
import { launchBrowser } from '../../scripts/launch-browser.ts'
import { type StartedConsole, startConsole } from '../../scripts/start/console.ts'
import { addOneOfEach, type Person, password } from './people.ts'

export interface ConsoleUnderTest {
  url: string
  db: Database
  /** For a bot beside the console. */
  databaseUrl: string
  /** The workspace that the people below are members of. */
  workspaceId: string
  /** The first workspace, which has never had a run; its only member is `first`. */
  emptyWorkspaceId: string
  people: Record<Role, Person>
  /** The owner that the first start makes: an owner of the empty workspace and of the demo. */
  first: { email: string; password: string }
  /** Everything the console wrote to its log so far. */
  log(): string
  /** What the browser complained about so far; whoever takes it has looked at it. */
  takeComplaints(): string[]
  /** A browser of its own, closed with the test; signed in when `as` says who. */
  context(options?: BrowserContextOptions & { as?: string | Person }): Promise<BrowserContext>
  page(options?: BrowserContextOptions & { as?: string | Person }): Promise<Page>
}

export const masterKey = '5e'.repeat(32)
/** What the console of these tests seals secrets with. */
export const consoleKeys = { current: masterKeyOf(Buffer.from(masterKey, 'hex')), previous: null }
export const wide = { width: 1360, height: 900 }
/** Of the browsers here, and of the demo's workspace. */
const zone = 'Europe/Berlin'
export const narrow = { width: 390, height: 844 }

interface UseConsole {
  /** More variables of the console, known only when the file starts. */
  settings?: () => Promise<Record<string, string>>
}

/** `const console_ = useConsole()`, then its parts inside tests. */
export function useConsole(options: UseConsole = {}): ConsoleUnderTest {
  const handle = {} as ConsoleUnderTest
  const complaints: string[] = []
  const sessions = new Map<string, Awaited<ReturnType<BrowserContext['storageState']>>>()
  let database: TestDatabase | undefined
  let started: StartedConsole | undefined
  let browser: Browser | undefined
  let dataDir: string | undefined
  let log = ''

  const context: ConsoleUnderTest['context'] = async ({ as, ...given } = {}) => {
    const opened = await (browser as Browser).newContext({
      baseURL: handle.url,
      viewport: wide,
      reducedMotion: 'reduce',
      timezoneId: zone,
      ...given,
    })
    onTestFinished(() => opened.close())
    opened.setDefaultTimeout(20_000)
    // As one that has been here before: a browser that has not said its zone reads its first page twice.
    if (!given.timezoneId)
      await opened.addCookies([{ name: 'qm.zone', value: encodeURIComponent(zone), url: handle.url }])
    opened.on('page', (page) => {
      watch(page, complaints)
      arriveAwake(page)
    })
    if (as) {
      const email = typeof as === 'string' ? as : as.email
      const known = sessions.get(email)
      if (known) await opened.addCookies(known.cookies)
      else {
        await signIn(opened.request, handle.url, { email, password })
        sessions.set(email, await opened.storageState())
      }
    }
    return opened
  }

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'qm-browser-'))
    const { template, known } = await useTemplate('console', makeData)
    database = await createTestDatabase(template)
    const { db } = database
    ;[started, browser] = await Promise.all([
      startConsole({
        dist: requireBuild(),
        databaseUrl: database.url,
        dataDir,
        settings: { QM_MASTER_KEY: masterKey, ...(await options.settings?.()) },
        onOutput: (text) => {
          log += text
        },
      }),
      launchBrowser(),
    ])
    Object.assign(handle, {
      url: started.url,
      db,
      databaseUrl: database.url,
      ...known,
      log: () => log,
      takeComplaints: () => complaints.splice(0),
      context,
      page: async (wanted) => (await context(wanted)).newPage(),
    } satisfies ConsoleUnderTest)
  }, 90_000)

  afterEach(() => {
    expect(complaints.splice(0)).toEqual([])
  })

  afterAll(async () => {
    await browser?.close()
    await started?.stop()
    await database?.dispose()
    if (dataDir) rmSync(dataDir, { recursive: true, force: true })
  })
  return handle
}

/** The data of every file's database: an empty workspace, and the demo with one person of each role. */
async function makeData(
  db: Database,
): Promise<Pick<ConsoleUnderTest, 'workspaceId' | 'emptyWorkspaceId' | 'people' | 'first'>> {
  await checkMasterKey(db, consoleKeys)
  const first = { email: 'first.owner@people.example', password }
  await seedFirstData(db, { ownerEmail: first.email, ownerPassword: password, workspaceName: 'House' })
  const { id: emptyWorkspaceId } = await db.prisma.workspace.findFirstOrThrow()
  const { workspaceId } = await seedDemo(db, consoleKeys)
  return { workspaceId, emptyWorkspaceId, people: await addOneOfEach(db, workspaceId), first }
}

/**
 * Whoever goes to a page arrives when React has taken its controls over. A person takes longer than that; a test would
 * click what does nothing yet, on a busy machine.
 */
function arriveAwake(page: Page): void {
  const goto = page.goto.bind(page)
  const reload = page.reload.bind(page)
  const isAwake = () =>
    !document.querySelector('script[src*="/_next/"]') ||
    [...document.querySelectorAll('button')].every((control) =>
      Object.keys(control).some((key) => key.startsWith('__reactFiber$')),
    )
  const arrive = async <T>(going: Promise<T>): Promise<T> => {
    const answer = await going
    await page.waitForFunction(isAwake)
    return answer
  }
  page.goto = (...where) => arrive(goto(...where))
  page.reload = (...how) => arrive(reload(...how))
}

/** Signs in as the form does, without a page. */
export async function signIn(
  request: APIRequestContext,
  url: string,
  credentials: { email: string; password: string },
): Promise<void> {
  const { csrfToken } = (await (await request.get(`${url}/api/auth/csrf`)).json()) as { csrfToken: string }
  const answer = await request.post(`${url}/api/auth/callback/credentials`, {
    headers: { origin: url },
    form: { ...credentials, csrfToken, json: 'true' },
  })
  expect(answer.status(), await answer.text()).toBe(200)
}

/** Types both in and presses the button; where it leads is the test's to say. */
export async function fillSignIn(page: Page, credentials: { email: string; password: string }): Promise<void> {
  await page.getByLabel('E-mail').fill(credentials.email)
  await page.getByLabel('Password').fill(credentials.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** The build that `npm test` made for these sources, as a folder of apps/admin. */
export function requireBuild(): string {
  const dist = process.env.QM_CONSOLE_DIST
  if (!dist) throw new Error('QM_CONSOLE_DIST is not set: run the tests with npm test')
  return dist
}

function watch(page: Page, complaints: string[]): void {
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.stack ?? error.message}`))
  page.on('console', (message) => {
    // An answer such as 401 or 403 is the test's own to judge.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(`${page.url()}: ${message.text()}`)
  })
}
