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
  { name: 'runs', path: '/runs' },
  { name: 'executions', path: '/executions' },
  { name: 'executions-filtered', path: '/executions?decision=ask' },
  { name: 'playground-new', path: '/playground' },
  { name: 'agents', path: '/agents' },
  { name: 'agent-new', path: '/agents/new' },
  { name: 'policies', path: '/policies' },
  { name: 'policies-rules', path: '/policies/rules' },
  { name: 'policies-rule', path: '/policies/rules/new' },
  { name: 'policies-hooks', path: '/policies/hooks' },
  { name: 'policies-profiles', path: '/policies/profiles' },
  { name: 'policies-layers', path: '/policies/layers' },
  { name: 'policies-draft', path: '/policies/draft' },
  { name: 'policies-explain', path: '/policies/explain' },
  { name: 'secrets', path: '/secrets' },
  { name: 'tools', path: '/tools' },
  { name: 'tool', path: '/tools/shell.exec' },
  { name: 'files', path: '/files' },
  { name: 'files-virtual', path: '/files?in=virtual' },
  { name: 'file', path: '/files/open?path=runbook.md' },
  { name: 'channels', path: '/channels' },
  { name: 'members', path: '/members' },
  { name: 'api-keys', path: '/api-keys' },
  { name: 'audit', path: '/audit' },
  { name: 'settings', path: '/settings/account' },
  { name: 'settings-workspace', path: '/settings/workspace' },
  { name: 'settings-prices', path: '/settings/prices' },
  { name: 'settings-installation', path: '/settings/installation' },
]
/** Only those that the documents show are kept in the repository; `--all` makes the rest too, to be looked at. */
const documented = [
  ...['sign-in', 'overview', 'approvals', 'runs', 'run', 'executions', 'playground', 'agent', 'agent-effective'],
  ...['policies-draft', 'settings'],
]
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
      pages.push(...(await agentPages(db, workspaceId)))
      pages.push(...(await findRuns(db, workspaceId)))
      pages.push(...(await findDetailPages(db, workspaceId)))
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

/** The pages of an agent that has versions, a draft, tools with a configuration, and places. */
async function agentPages(db: Database, workspaceId: string): Promise<typeof pages> {
  const { id } = await db.prisma.agent.findFirstOrThrow({ where: { workspaceId, slug: 'harbor' } })
  const shown = { '': 'agent', tools: 'agent-tools', effective: 'agent-effective', versions: 'agent-versions' }
  const more = { channels: 'agent-channels', secrets: 'agent-secrets' }
  return Object.entries({ ...shown, ...more }).map(([tab, name]) => ({
    name,
    path: `/agents/${id}${tab && `/${tab}`}`,
  }))
}

/** A run that waits for somebody, and one in which somebody has said no. */
async function findRuns(db: Database, workspaceId: string): Promise<typeof pages> {
  const { rows } = await db.pool.query<{ name: string; id: string }>(
    `(SELECT 'run' AS name, r.id FROM runs r WHERE r.workspace_id = $1 AND r.status = 'waiting' AND r.steps > 1
        AND EXISTS (SELECT 1 FROM questions q WHERE q.run_id = r.id AND q.status = 'open' AND q.kind = 'confirmation')
      ORDER BY r.steps DESC, r.queued_at DESC LIMIT 1)
     UNION ALL
     (SELECT 'run-over', t.run_id FROM tool_calls t WHERE t.workspace_id = $1 AND t.status = 'denied'
      ORDER BY t.requested_at DESC LIMIT 1)`,
    [workspaceId],
  )
  return rows.flatMap(({ name, id }) => [
    { name, path: `/runs/${id}` },
    ...(name === 'run-over' ? [{ name: 'run-log', path: `/runs/${id}?view=log` }] : []),
  ])
}

/** Pages of one thing, whose id is known only now. */
async function findDetailPages(db: Database, workspaceId: string): Promise<typeof pages> {
  const member = await db.prisma.member.findFirstOrThrow({ where: { workspaceId, name: 'Jonas Wieland' } })
  const secret = await db.prisma.secret.findFirstOrThrow({ where: { workspaceId, name: 'github.app-key' } })
  return [
    { name: 'member', path: `/members/${member.id}` },
    { name: 'secret', path: `/secrets/${secret.id}` },
  ]
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
  const only = process.argv
    .find((argument) => argument.startsWith('--only='))
    ?.slice('--only='.length)
    .split(',')
  const wanted = process.argv.includes('--all')
    ? pages
    : pages.filter((page) => (only ?? documented).includes(page.name))
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
    timezoneId: 'Europe/Berlin',
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
    if (name === 'overview') await page.locator('[data-chart]').nth(2).waitFor()
    if (name === 'policies-draft') await page.getByText('Replayed completely.').waitFor()
    await page.evaluate('document.fonts.ready.then(() => undefined)')
    await page.waitForTimeout(300) // The charts draw themselves in the frame after they know their size.
    const folder = documented.includes(name) ? images : others
    const file = `${folder}/${name}-${look.colorScheme}${look.suffix}.png`
    await page.screenshot({
      path: join(projectRoot, file),
      // On a phone people scroll; what fills the screen by itself is shown as it is.
      fullPage: look.suffix !== '' && !/^(sign-in|playground|approvals)/.test(name),
    })
    console.log(file)
  }
  await context.close()
}
