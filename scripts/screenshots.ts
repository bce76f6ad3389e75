// npm run screenshots: pictures of the console on demo data, for the documents. Everything it needs it starts itself,
// in a folder of its own, and takes away again.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  beat,
  createVirtualFiles,
  type Database,
  loadMasterKeys,
  migrate,
  newId,
  openDatabase,
  projectRoot,
  seedFirstData,
  syncTools,
} from '@quartermaster/db'
import { seedDemo } from '@quartermaster/db/demo'
import { startEmbeddedPostgres } from '@quartermaster/db/embedded-postgres'
import { describeBuiltinTools } from '@quartermaster/tools'
import type { Browser } from 'playwright-core'
import { definitionOf } from '../apps/bot/src/tools/compose-registry.ts'
import { launchBrowser } from './launch-browser.ts'
import { runProgram } from './program.ts'
import { makePlayground } from './screenshots/make-playground.ts'
import { startConsole } from './start/console.ts'
import { buildConsoleIfStale } from './start/console-build.ts'

const owner = { email: 'maren.holt@northwind.example', password: 'a password for pictures' }
const botId = newId('prc')
const images = 'docs/images'
const others = 'test/.artifacts/images'

const pages = [
  { name: 'sign-in', path: '/sign-in' },
  { name: 'overview', path: '/overview' },
  { name: 'approvals', path: '/approvals?show=open' },
  { name: 'approvals-history', path: '/approvals?show=history' },
  { name: 'playground-new', path: '/playground' },
  { name: 'tools', path: '/tools' },
  { name: 'tool', path: '/tools/shell.exec' },
  { name: 'files', path: '/files' },
  { name: 'files-virtual', path: '/files?in=virtual' },
  { name: 'file', path: '/files/open?path=runbook.md' },
  { name: 'channels', path: '/channels' },
  { name: 'settings', path: '/settings/account' },
  { name: 'settings-workspace', path: '/settings/workspace' },
  { name: 'settings-installation', path: '/settings/installation' },
]
/** Only those that the documents show are kept in the repository; `--all` makes the rest too, to be looked at. */
const documented = ['sign-in', 'overview', 'approvals', 'playground', 'settings']
const sizes = { '': { width: 1360, height: 900 }, '-narrow': { width: 390, height: 844 } }

await runProgram(async () => {
  const dist = await buildConsoleIfStale(() => console.log('building the console'))
  const dataDir = mkdtempSync(join(tmpdir(), 'qm-pictures-'))
  const server = await startEmbeddedPostgres({ dataDir, ephemeral: true })
  try {
    await migrate(server.url)
    const db = openDatabase(server.url, { name: 'screenshots' })
    try {
      const workspaceId = await makeData(db, dataDir)
      for (const [name, id] of Object.entries(await makePlayground(db, workspaceId, owner.email)))
        pages.push({ name, path: `/playground/${id}` })
      const console_ = await startConsole({ dist, databaseUrl: server.url, dataDir })
      const alive = setInterval(() => void sayAlive(db), 4_000)
      try {
        await sayAlive(db)
        await takePictures(console_.url, workspaceId)
      } finally {
        clearInterval(alive)
        await console_.stop()
      }
    } finally {
      await db.close()
    }
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return 0
})

async function makeData(db: Database, dataDir: string): Promise<string> {
  const keys = loadMasterKeys({ dataDir, mayCreate: true })
  await seedFirstData(db, { ownerEmail: owner.email, ownerPassword: owner.password, workspaceName: 'Quartermaster' })
  // As the bot does at its start.
  await syncTools(db, describeBuiltinTools().map(definitionOf))
  const { workspaceId } = await seedDemo(db, keys)
  await makeFiles(db, dataDir, workspaceId)
  return workspaceId
}

async function makeFiles(db: Database, dataDir: string, workspaceId: string): Promise<void> {
  const folder = join(dataDir, 'files', workspaceId)
  for (const name of ['exports', 'incidents', 'scripts']) mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(
    join(folder, 'runbook.md'),
    '# Runbook\n\n## On call\n\nMo–We: Jonas\nTh–Fr: Priya (swap, see #platform)\n',
  )
  writeFileSync(join(folder, 'rota-week-47.csv'), 'day,person\nMo,Jonas\nTu,Jonas\nWe,Jonas\nTh,Priya\nFr,Priya\n')
  writeFileSync(join(folder, 'release-notes-draft.md'), '# 4.12\n\n- Exports stream.\n'.repeat(40))
  const agents = await db.prisma.agent.findMany({ where: { workspaceId }, orderBy: { name: 'asc' }, take: 3 })
  const paths = ['/notes/handover.md', '/results/weekly-tickets.json', '/drafts/reply-to-4821.md', '/plan.md']
  for (const [index, path] of paths.entries()) {
    const owner = { kind: 'agent', id: agents[index % agents.length]!.id } as const
    await createVirtualFiles(db).write({ workspaceId, owner }, path, Buffer.from(`# ${path}\n`.repeat(index * 30 + 4)))
  }
}

/** A bot that is connected to everything, so that the health panel shows how it looks when all is well. */
async function sayAlive(db: Database): Promise<void> {
  const ok = (detail: string) => ({ state: 'ok' as const, detail, next: null })
  await beat(db, {
    id: botId,
    kind: 'bot',
    version: '0.1.0',
    host: 'qm-1',
    pid: 4182,
    roles: ['ingress', 'worker'],
    health: {
      slack: ok('Connected to Northwind over Socket Mode.'),
      telegram: {
        state: 'off',
        detail: 'No bot is connected.',
        next: 'Set TELEGRAM_BOT_TOKEN (from @BotFather) and start again.',
      },
      model: ok('Anthropic answers.'),
      sandbox: ok('bubblewrap; commands run without network and without our environment.'),
    },
  })
}

async function takePictures(url: string, workspaceId: string): Promise<void> {
  const browser = await launchBrowser()
  for (const folder of [images, others]) mkdirSync(join(projectRoot, folder), { recursive: true })
  const wanted = process.argv.includes('--all') ? pages : pages.filter((page) => documented.includes(page.name))
  try {
    for (const colorScheme of ['light', 'dark'] as const)
      for (const [suffix, viewport] of Object.entries(sizes))
        await takeInOneLook(browser, url, workspaceId, wanted, { colorScheme, suffix, viewport })
  } finally {
    await browser.close()
  }
}

async function takeInOneLook(
  browser: Browser,
  url: string,
  workspaceId: string,
  wanted: typeof pages,
  look: { colorScheme: 'light' | 'dark'; suffix: string; viewport: { width: number; height: number } },
): Promise<void> {
  const context = await browser.newContext({
    colorScheme: look.colorScheme,
    viewport: look.viewport,
    deviceScaleFactor: 2,
    reducedMotion: 'reduce',
  })
  await context.addCookies([{ name: 'qm.workspace', value: workspaceId, url }])
  const page = await context.newPage()
  for (const { name, path } of wanted) {
    await page.goto(`${url}${path}`)
    if (name !== 'sign-in' && page.url().includes('/sign-in')) {
      await page.getByLabel('E-mail').fill(owner.email)
      await page.getByLabel('Password').fill(owner.password)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.waitForURL((current) => current.pathname === path)
    }
    if (name === 'overview') await page.locator('.recharts-surface').nth(2).waitFor()
    await page.evaluate('document.fonts.ready.then(() => undefined)')
    await page.waitForTimeout(300) // The charts draw themselves in the frame after they know their size.
    const folder = documented.includes(name) ? images : others
    const file = `${folder}/${name}-${look.colorScheme}${look.suffix}.png`
    await page.screenshot({
      path: join(projectRoot, file),
      fullPage: look.suffix !== '' && /^(overview|channels|settings)/.test(name),
    })
    console.log(file)
  }
  await context.close()
}
