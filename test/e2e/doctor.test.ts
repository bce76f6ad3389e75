import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '@quartermaster/db'
import { findFreePort } from '@quartermaster/db/embedded-postgres'
import { useTestDatabase } from '@quartermaster/db/testing'
import { expect, onTestFinished, test } from 'vitest'
import { consoleVariables, readConsoleEnv } from '../../apps/admin/src/env.ts'
import { botVariables, parseBotEnv } from '../../apps/bot/src/env.ts'
import type { Check } from '../../scripts/doctor/check.ts'
import { checkDotEnv, oddLines } from '../../scripts/doctor/check-settings.ts'
import { readScriptEnvironment, scriptVariables } from '../../scripts/environment.ts'
import { startBot, testMasterKey } from './start-bot.ts'

const database = useTestDatabase()

interface Report {
  code: number
  text: string
  ok: boolean
  check(name: string): Check | undefined
}

async function runDoctor(environment: Record<string, string>, ...args: string[]): Promise<Report> {
  const [port, botPort] = [await findFreePort(), await findFreePort()]
  const env = { PATH: process.env.PATH, PORT: String(port), QM_BOT_PORT: String(botPort), ...environment }
  return new Promise((done) =>
    execFile(process.execPath, [join(projectRoot, 'scripts/doctor.ts'), ...args], { env }, (error, stdout, stderr) => {
      const report = args.includes('--json') ? (JSON.parse(stdout) as { ok: boolean; checks: Check[] }) : null
      done({
        code: error ? Number(error.code) : 0,
        text: stdout + stderr,
        ok: report?.ok ?? false,
        check: (name) => report?.checks.find((check) => check.name === name),
      })
    }),
  )
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'qm-doctor-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('beside a running bot everything it stands on is ok, and its port counts as ours', async () => {
  const bot = await startBot({ DATABASE_URL: database.url })
  const { port } = new URL(bot.url)
  const report = await runDoctor(
    { DATABASE_URL: database.url, QM_MASTER_KEY: testMasterKey, QM_BOT_PORT: port },
    '--json',
  )
  for (const name of [
    'Node',
    'Packages',
    'Settings',
    'Database',
    'Migrations',
    'Master key',
    'Browser',
    'Clock',
    'Disk',
  ])
    expect(report.check(name), name).toMatchObject({ state: 'ok', fix: null })
  expect(report.check(`Port ${port}`)).toMatchObject({ state: 'ok', detail: expect.stringContaining('Our own bot') })
  expect(report).toMatchObject({ ok: true, code: 0 })
})

test('on a machine where nothing was started yet it finds no problem, and makes nothing', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const report = await runDoctor({ QM_DATA_DIR: dataDir }, '--json')
  expect(report).toMatchObject({ ok: true, code: 0 })
  expect(report.check('Database')).toMatchObject({ state: 'warning', fix: expect.stringContaining('npm start') })
  expect(report.check('Master key')).toMatchObject({ state: 'warning' })
  expect(existsSync(dataDir)).toBe(false)
})

test('problems end it with code 1, each with its fix, in lines that a person can read', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await new Promise((done) => taken.once('listening', done))
  onTestFinished(() => void taken.close())
  const { port } = taken.address() as { port: number }
  const report = await runDoctor({
    DATABASE_URL: `postgresql://me:canary-password@127.0.0.1:${await findFreePort()}/qm`,
    QM_BOT_PORT: String(port),
    LOG_LEVEL: 'loud',
    SLACK_BOT_TOKEN: 'canary-token',
    QM_BROWSER: '/nonexistent/chromium',
  })
  expect(report.code).toBe(1)
  expect(report.text).toMatch(/^ {2}problem {2}Settings +LOG_LEVEL: expected one of trace/m)
  expect(report.text).toMatch(/^ {2}problem {2}Database +The database at 127\.0\.0\.1:\d+\/qm cannot be reached/m)
  expect(report.text).toMatch(
    new RegExp(`^ {2}problem {2}Port ${port} +Taken by [^→]*→ Stop that program, or set QM_BOT_PORT`, 'm'),
  )
  expect(report.text).toMatch(/^ {2}problem {2}Browser +QM_BROWSER/m)
  expect(report.text).toMatch(/\d+ ok, \d+ warnings?, 4 problems\n/)
  expect(report.text).not.toContain('canary')
})

test('another master key than the one the database belongs to is a problem', async () => {
  await startBot({ DATABASE_URL: database.url })
  const report = await runDoctor({ DATABASE_URL: database.url, QM_MASTER_KEY: 'ab'.repeat(32) }, '--json')
  expect(report.check('Master key')).toMatchObject({ state: 'problem', detail: expect.stringContaining('wrong one') })
  expect(report).toMatchObject({ ok: false, code: 1 })
})

test('a key file that others can read is a problem, and stays as it is', async () => {
  const dataDir = temporaryFolder()
  const file = join(dataDir, 'master.key')
  writeFileSync(file, testMasterKey)
  chmodSync(file, 0o644)
  const report = await runDoctor({ DATABASE_URL: database.url, QM_DATA_DIR: dataDir }, '--json')
  expect(report.check('Master key')).toMatchObject({ state: 'problem', fix: expect.stringContaining('chmod 600') })
  expect(readFileSync(file, 'utf8')).toBe(testMasterKey)
})

test("a clock that differs from a platform's is a warning with the difference", async () => {
  const platform = createServer((_request, response) => {
    response.setHeader('date', new Date(Date.now() + 60_000).toUTCString())
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ok: false, error_code: 401, description: 'Unauthorized' }))
  }).listen(0, '127.0.0.1')
  await new Promise((done) => platform.once('listening', done))
  onTestFinished(() => void platform.close())
  const report = await runDoctor(
    {
      DATABASE_URL: database.url,
      TELEGRAM_BOT_TOKEN: '99887766:CANARYtelegramCANARYtelegram',
      TELEGRAM_API_ROOT: `http://127.0.0.1:${(platform.address() as { port: number }).port}`,
    },
    '--json',
  )
  expect(report.check('Clock')).toMatchObject({
    state: 'warning',
    detail: expect.stringMatching(/(59|60|61) s behind Telegram/),
  })
  expect(report.check('Telegram')).toMatchObject({
    state: 'problem',
    detail: 'Telegram refuses the token (Unauthorized).',
  })
  expect(report.text).not.toContain('CANARY')
})

test('lines of .env that cannot be understood are named by their number, and good ones are not', () => {
  expect(oddLines('# a comment\n\nPORT=3000\nexport LOG_LEVEL=info\nA="x\ny"\nB=\n')).toEqual([])
  expect(oddLines('PORT 3000\nPORT=3000\n=x\n9A=1')).toEqual([1, 3, 4])
  expect(oddLines('A="never ends\nB=1')).toEqual([2])
})

test('a setting in .env that does not exist is named, and a right .env is ok', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, '.env.example'), readFileSync(join(projectRoot, '.env.example')))
  writeFileSync(join(folder, '.env'), 'QM_PROT=3001\n', { mode: 0o600 })
  expect(checkDotEnv(folder)).toMatchObject({ state: 'warning', detail: 'QM_PROT: no such setting.' })
  writeFileSync(join(folder, '.env'), 'QM_BOT_PORT=3001\nSLACK_BOT_TOKEN_FILE=/run/token\n')
  expect(checkDotEnv(folder)).toMatchObject({ state: 'ok', detail: '2 settings, all understood.' })
  chmodSync(join(folder, '.env'), 0o644)
  expect(checkDotEnv(folder)).toMatchObject({ state: 'warning', fix: 'Run "chmod 600 .env".' })
})

test('.env.example explains every variable that an app or a script reads, and none besides', () => {
  const example = readFileSync(join(projectRoot, '.env.example'), 'utf8')
  const read = new Set([
    ...Object.keys(botVariables({})),
    ...Object.keys(consoleVariables),
    ...Object.keys(scriptVariables),
  ])
  const explained = [...example.matchAll(/^# ([A-Z][A-Z_]*)=/gm)].map((match) => match[1])
  expect(explained.sort()).toEqual([...read].sort())
  // Only a first variable of its group may stand without words of its own: right below the heading that explains it.
  for (const [index, block] of example.split(/\n\n/).entries())
    if (/^# [A-Z_]+=/.test(block)) expect(example.split(/\n\n/)[index - 1], block).toMatch(/^# ---/)
})

test('the values that .env.example shows are the defaults', () => {
  const example = readFileSync(join(projectRoot, '.env.example'), 'utf8')
  const shown = Object.fromEntries([...example.matchAll(/^# ([A-Z][A-Z_]*)=(.+)$/gm)].map((match) => match.slice(1)))
  // Examples of what somebody would have to choose.
  for (const name of [
    'DATABASE_URL',
    'QM_PUBLIC_URL',
    'OIDC_ISSUER',
    'ANTHROPIC_BASE_URL',
    'POLICY_GIT_TEST_COMMAND',
    'WEB_SEARCH_ALLOWED_HOSTS',
    'AUDIO_TRANSCRIBE_URL',
    'AUDIO_TRANSCRIBE_COMMAND',
    'WEB_SEARCH_PROVIDER',
    'WEB_SEARCH_ENDPOINT',
    'WEB_PRIVATE_HOSTS',
    'TELEGRAM_WEBHOOK_URL',
  ])
    delete shown[name]
  expect(parseBotEnv(shown)).toEqual(parseBotEnv({}))
  expect(readConsoleEnv(shown)).toEqual(readConsoleEnv({}))
  const { environment: _, ...values } = readScriptEnvironment(shown)
  const { environment: __, ...defaults } = readScriptEnvironment({})
  expect(values).toEqual(defaults)
})
