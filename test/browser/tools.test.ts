// The registry of tools as people use it; what is tried or switched is tried with a real bot beside the console.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId, savePolicySettings, switchTool, syncTools } from '@quartermaster/db'
import { createTestWorkspace } from '@quartermaster/db/testing'
import { describeBuiltinTools } from '@quartermaster/tools'
import type { Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { startBot } from '../e2e/start-bot.ts'
import { useConsole } from './console.ts'

const it = useConsole()

beforeAll(async () => {
  // As the bot does at its start.
  const { definitionOf } = await import('../../apps/bot/src/tools/compose-registry.ts')
  await syncTools(it.db, describeBuiltinTools().map(definitionOf))
})

async function useBot(): Promise<(name: string) => string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'qm-tools-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const bot = await startBot({ DATABASE_URL: it.databaseUrl, QM_DATA_DIR: dataDir })
  expect(bot.ready, bot.output().stderr).not.toBeNull()
  return (name) => readFileSync(join(dataDir, 'files', it.emptyWorkspaceId, name), 'utf8')
}

/** The first workspace, whose agent has the default tools. */
async function openHome(path: string): Promise<Page> {
  const context = await it.context({ as: it.first.email })
  await context.addCookies([{ name: 'qm.workspace', value: it.emptyWorkspaceId, url: it.url }])
  const page = await context.newPage()
  await page.goto(path)
  return page
}

const trial = (page: Page) => page.getByRole('region', { name: 'What became of it' })

test('a tool is found by another system’s name for it, and its page says what it takes', async () => {
  const page = await openHome('/tools')
  await page.getByRole('searchbox', { name: /^Search/ }).fill('bash')
  await page.getByRole('link', { name: 'shell.exec' }).click()
  await page.waitForURL('**/tools/shell.exec')
  await page.getByRole('heading', { name: 'Arguments' }).waitFor()
  await page.getByRole('cell', { name: 'The shell command to execute' }).waitFor()
  await page.getByText('Nobody has used it yet.').waitFor()
})

test('a tool’s page says of each agent what becomes of a call, and leads to where it can be changed', async () => {
  const page = await it.page({ as: it.people.admin })
  const own = await it.db.prisma.tool.findFirstOrThrow({ where: { handlerKey: 'pager.acknowledge' } })
  await page.goto(`/tools/${own.id}`)
  const of = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('link', { name, exact: true }) })
  await of('Harbor').getByText('attached', { exact: true }).waitFor()
  await of('Harbor').getByText('asks', { exact: true }).waitFor()
  await of('Forge').getByText('not attached to the agent').waitFor()
  await of('Forge').getByRole('link', { name: 'Attach it for Forge' }).click()
  await page.getByRole('form', { name: 'Configuration of pager.acknowledge' }).waitFor()
  await page.getByRole('heading', { level: 1, name: /Forge/ }).waitFor()

  const viewers = await it.page({ as: it.people.viewer })
  await viewers.goto(`/tools/${own.id}`)
  await viewers.getByText('not attached to the agent').first().waitFor()
  expect(await viewers.getByRole('link', { name: /^Attach it/ }).count()).toBe(0)
})

test('filters are in the address, and what nothing matches says how to go on', async () => {
  const page = await openHome('/tools?category=git&source=builtin')
  expect(await page.getByRole('link', { name: /^git\./ }).count()).toBe(3)
  expect(await page.getByRole('link', { name: /^file\./ }).count()).toBe(0)
  await page.getByRole('combobox', { name: 'State' }).selectOption('off')
  await page.getByText('No tool is like that').waitFor()
})

test('tried: a mistake stands beside its field, the question is answered right there, and the output appears', async () => {
  const read = await useBot()
  const page = await openHome('/tools/file.write')
  await page.getByRole('button', { name: 'Try it' }).click()
  await page.getByRole('button', { name: 'Run it' }).click()
  await page.getByText('Is required and missing.').waitFor()
  await page.getByLabel('path').fill('tried.txt')
  await page.getByLabel('content').fill('by hand')
  await page.getByRole('button', { name: 'Run it' }).click()
  await trial(page).getByRole('button', { name: 'Approve', exact: true }).click()
  await trial(page).getByText('Created tried.txt (7 bytes)').first().waitFor()
  expect(read('tried.txt')).toBe('by hand')
  const call = await it.db.prisma.toolCall.findFirstOrThrow({
    where: { workspaceId: it.emptyWorkspaceId, toolName: 'file.write' },
  })
  expect(call).toMatchObject({ status: 'succeeded', arguments: { path: 'tried.txt', content: 'by hand' } })
  expect(await trial(page).getByRole('link', { name: 'Open the trace' }).getAttribute('href')).toBe(
    `/runs/${call.runId}`,
  )
})

test('switched off, a running bot refuses it at once; switched on, it runs again', async () => {
  await useBot()
  const page = await openHome('/tools/system.info')
  await page.getByRole('button', { name: 'Switch off' }).click()
  const dialog = page.getByRole('dialog', { name: 'Switch system.info off?' })
  // Whoever loses it is named.
  await dialog.getByText(/^Quartermaster has it\. From then on nobody/).waitFor()
  await dialog.getByRole('button', { name: 'Switch it off' }).click()
  await page.getByText('It is switched off in this workspace').waitFor()
  expect(await page.getByRole('button', { name: 'Try it' }).count()).toBe(0)

  const chat = await openHome('/playground')
  const say = async (text: string) => {
    await chat.getByRole('textbox', { name: 'Message' }).fill(text)
    await chat.keyboard.press('Enter')
  }
  await say('!system.info {}')
  await chat.waitForURL(/\/playground\/cnv_/)
  await chat.getByRole('log').getByText('was not done').waitFor()
  const refused = await it.db.prisma.toolCall.findFirstOrThrow({
    where: { workspaceId: it.emptyWorkspaceId, toolName: 'system.info' },
  })
  expect(refused.status).toBe('refused')
  expect(JSON.stringify(refused.trail)).toContain('switched off in this workspace')

  await page.getByRole('button', { name: 'Switch on' }).click()
  await page.getByRole('button', { name: 'Try it' }).waitFor()
  await say('!system.info {}')
  await chat.getByRole('log').getByText('system.info returned:').waitFor()
})

test('without a bot it says that the try waits', async () => {
  await it.db.prisma.process.deleteMany({})
  const page = await openHome('/tools/file.list')
  await page.getByRole('button', { name: 'Try it' }).click()
  await page.getByText('No bot is alive.').first().waitFor()
  await page.getByRole('button', { name: 'Run it' }).click()
  await trial(page).getByText('In the queue: no bot is alive.').waitFor()
})

test('a hook is changed alone: the others stay, and an older choice never overwrites a newer one', async () => {
  const workspaceId = it.emptyWorkspaceId
  const save = async (hooks: { pattern: string; hook: 'confirm' | 'log' | 'silent' }[]) => {
    const before = await it.db.prisma.policySettings.findUnique({ where: { workspaceId } })
    const { profile, allow, deny, approval, providers } = before ?? {
      profile: 'full',
      allow: [],
      deny: [],
      approval: {},
      providers: {},
    }
    const saved = await savePolicySettings(it.db, {
      workspaceId,
      actor: { kind: 'system', id: 'test' },
      expectedUpdatedAt: before?.updatedAt ?? null,
      settings: { profile, allow, deny, approval, providers, hooks } as never,
    })
    expect(saved.ok).toBe(true)
  }
  const hooks = async () => (await it.db.prisma.policySettings.findUniqueOrThrow({ where: { workspaceId } })).hooks
  await save([{ pattern: 'git.*', hook: 'confirm' }])
  const page = await openHome('/tools/git.commit')
  await page.getByText('The hook git.*: ask a person.').waitFor()
  await page.getByLabel('In this workspace').selectOption('log')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. It counts at once.').waitFor()
  expect(await hooks()).toEqual([
    { pattern: 'git.*', hook: 'confirm' },
    { pattern: 'git.commit', hook: 'log' },
  ])

  await save([{ pattern: 'git.*', hook: 'silent' }])
  await page.getByLabel('In this workspace').selectOption('confirm')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Somebody changed the policy meanwhile.').waitFor()
  expect(await hooks()).toEqual([{ pattern: 'git.*', hook: 'silent' }])
})

test('a viewer looks, and is offered nothing that changes or runs anything', async () => {
  const page = await it.page({ as: it.people.viewer })
  await page.goto('/tools/file.write')
  await page.getByRole('heading', { name: 'Arguments' }).waitFor()
  for (const name of ['Try it', 'Switch off', 'Save'])
    expect(await page.getByRole('button', { name }).count(), name).toBe(0)
})

test('another workspace’s tool is not found, and its switches count for nobody else', async () => {
  const other = await createTestWorkspace(it.db)
  const id = newId('tool')
  await it.db.pool.query(
    `INSERT INTO tools (id, name, description, parameters_schema, handler_key) VALUES ($1, 'X', '', '{}', 'x.y')`,
    [id],
  )
  await it.db.pool.query(
    `INSERT INTO tool_details (tool_id, workspace_id, source, effect, version) VALUES ($1, $2, 'manifest', 'read', '1')`,
    [id, other.workspaceId],
  )
  await switchTool(it.db, {
    workspaceId: other.workspaceId,
    toolId: 'file.read',
    on: false,
    actor: { kind: 'system', id: 'test' },
  })
  const context = await it.context({ as: it.people.owner })
  expect((await context.request.get(`/tools/${id}`)).status()).toBe(404)
  expect((await context.request.get('/tools/no.such')).status()).toBe(404)
  const page = await context.newPage()
  await page.goto('/tools/file.read')
  await page.getByRole('button', { name: 'Switch off' }).waitFor()
})
