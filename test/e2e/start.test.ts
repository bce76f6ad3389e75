import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@quartermaster/db'
import { findFreePort, findRunningPostgres } from '@quartermaster/db/embedded-postgres'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { killAll, processesOf, startProduct } from './product.ts'

let dataDir: string
beforeEach(() => {
  dataDir = join(mkdtempSync(join(tmpdir(), 'qm-start-')), 'data')
})
afterEach(() => {
  killAll(dataDir)
  rmSync(join(dataDir, '..'), { recursive: true, force: true })
})

const ready = /Ctrl-C stops everything/
const passwordIn = (output: string) => /Password {2}(\S+)/.exec(output)?.[1]

test('the first start prints where the console is and the owner once; the second keeps the data and is quiet about it', async () => {
  const first = await startProduct(dataDir)
  const output = await first.printed(ready)
  expect(output).toContain(first.consoleUrl)
  expect(passwordIn(output)).toMatch(/^\S{12,}$/)
  for (const name of ['Slack', 'Telegram', 'Model', 'Sandbox']) expect(output).toContain(name)
  expect((await fetch(`${first.botUrl}/healthz/ready`)).status).toBe(200)
  expect((await fetch(`${first.consoleUrl}/sign-in`)).status).toBe(200)
  expect(statSync(join(dataDir, 'master.key')).mode & 0o777).toBe(0o600)
  const db = openDatabase(findRunningPostgres(dataDir) as string, { name: 'test' })
  const before = await db.prisma.member.findMany()
  await db.close()
  // Ctrl-C reaches the whole group of the terminal.
  process.kill(-(first.child.pid as number), 'SIGINT')
  expect(await first.exit).toBe(0)
  expect(processesOf(dataDir)).toEqual([])

  const began = Date.now()
  const second = await startProduct(dataDir)
  const again = await second.printed(ready)
  expect(Date.now() - began).toBeLessThan(30_000)
  expect(passwordIn(again)).toBeUndefined()
  const reopened = openDatabase(findRunningPostgres(dataDir) as string, { name: 'test' })
  expect(await reopened.prisma.member.findMany()).toEqual(before)
  await reopened.close()
  second.child.kill('SIGTERM')
  expect(await second.exit).toBe(0)
  expect(processesOf(dataDir)).toEqual([])
}, 180_000)

test('the owner of QM_OWNER_EMAIL and QM_OWNER_PASSWORD is made, and the password is not printed', async () => {
  const product = await startProduct(dataDir, {
    QM_OWNER_EMAIL: 'Ada@Example.com',
    QM_OWNER_PASSWORD: 'correct horse battery',
  })
  const output = await product.printed(ready)
  expect(output).toContain('ada@example.com')
  expect(output).not.toContain('correct horse')
  product.child.kill('SIGTERM')
  expect(await product.exit).toBe(0)
}, 120_000)

test('after a kill -9 of everything at any moment of the start, the next start comes up and the owner can be known', async () => {
  let password: string | undefined
  for (const moment of [/PostgreSQL: creating/, /Migration .*_first/, /Migration .*_invariants/, ready]) {
    const product = await startProduct(dataDir)
    password ??= passwordIn(await product.printed(moment))
    killAll(dataDir)
    await product.exit
    // Only the database may outlive its parent, and here even that was killed. What was between its fork and its first
    // line at the moment of the kill had no name to be killed by: it ends by itself.
    await expect.poll(() => processesOf(dataDir)).toEqual([])
  }
  const last = await startProduct(dataDir)
  const output = await last.printed(ready)
  expect(password ?? passwordIn(output)).toBeDefined()
  const db = openDatabase(findRunningPostgres(dataDir) as string, { name: 'test' })
  expect(await db.prisma.workspace.count()).toBe(1)
  await db.close()
  last.child.kill('SIGTERM')
  expect(await last.exit).toBe(0)
}, 240_000)

test('Ctrl-C at any moment of the start ends all of it, and the owner is told by the start that gets there', async () => {
  for (const moment of [/PostgreSQL: creating/, /Migration .*_first/, /Migration .*_invariants/]) {
    rmSync(dataDir, { recursive: true, force: true })
    const product = await startProduct(dataDir)
    await product.printed(moment)
    process.kill(-(product.child.pid as number), 'SIGINT')
    expect(await product.exit).toBe(130)
    expect(product.output()).toMatch(/Stopped\.\n$/)
    expect(product.output()).not.toMatch(/\n\s+at |→/)
    expect(processesOf(dataDir)).toEqual([])
  }
  const next = await startProduct(dataDir)
  expect(passwordIn(await next.printed(ready))).toBeDefined()
  next.child.kill('SIGTERM')
  expect(await next.exit).toBe(0)
}, 180_000)

test('when the starting process is killed, bot and console end by themselves and the next start takes over', async () => {
  const product = await startProduct(dataDir)
  await product.printed(ready)
  const start = processesOf(dataDir).find(({ command }) => command.includes('scripts/start.ts'))
  process.kill(start?.pid as number, 'SIGKILL')
  await expect
    .poll(() => processesOf(dataDir).filter(({ command }) => /main\.ts|server\.ts/.test(command)), { timeout: 20_000 })
    .toEqual([])
  const next = await startProduct(dataDir)
  await next.printed(ready)
  next.child.kill('SIGTERM')
  expect(await next.exit).toBe(0)
  expect(processesOf(dataDir)).toEqual([])
}, 120_000)

test('when PostgreSQL is killed, that is told once, and everything else ends in order', async () => {
  const product = await startProduct(dataDir)
  await product.printed(ready)
  process.kill(Number.parseInt(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10), 'SIGKILL')
  expect(await product.exit).toBe(1)
  expect(product.output().match(/ended by itself.*/g)).toEqual([expect.stringContaining('postgres.log')])
  expect(product.output()).toMatch(/Stopped\.\n$/)
  await expect.poll(() => processesOf(dataDir), { timeout: 10_000 }).toEqual([])
}, 120_000)

test('a second start on the same data folder is refused, and the first goes on', async () => {
  const first = await startProduct(dataDir)
  await first.printed(ready)
  const second = await startProduct(dataDir)
  expect(await second.exit).toBe(1)
  expect(second.output()).toMatch(/already running on .* \(process \d+\)\.\n {2}→ /)
  expect((await fetch(`${first.botUrl}/healthz/ready`)).status).toBe(200)
  first.child.kill('SIGTERM')
  expect(await first.exit).toBe(0)
}, 120_000)

for (const variable of ['PORT', 'QM_BOT_PORT'])
  test(`a taken ${variable} is told in a sentence with the fix, and nothing is left running`, async () => {
    const taken = await findFreePort()
    const holder = createServer().listen(taken, '127.0.0.1')
    try {
      const product = await startProduct(dataDir, { [variable]: String(taken) })
      expect(await product.exit).toBe(1)
      expect(product.output()).toContain(String(taken))
      expect(product.output()).toContain(variable)
      expect(product.output()).not.toMatch(/\n\s+at /)
      expect(processesOf(dataDir)).toEqual([])
    } finally {
      holder.close()
    }
  }, 120_000)

test.each([
  [
    'an unreachable database',
    { DATABASE_URL: 'postgresql://nobody:hidden-word@127.0.0.1:9/none' },
    /127\.0\.0\.1:9\/none cannot be reached/,
  ],
  [
    'mistakes in the settings of the bot, the console and the start',
    { LOG_LEVEL: 'loud', QM_PUBLIC_URL: 'https://example.com/path', QM_OWNER_PASSWORD: 'short' },
    /3 mistakes:(?=[\s\S]*LOG_LEVEL)(?=[\s\S]*QM_PUBLIC_URL)(?=[\s\S]*QM_OWNER_PASSWORD)/,
  ],
  ['the same port twice', { PORT: '45678', QM_BOT_PORT: '45678' }, /PORT and QM_BOT_PORT are both 45678/],
  ['a data folder that cannot be made', { QM_DATA_DIR: '/dev/null/data' }, /data folder .* cannot be written to/],
  [
    'a wrong variable',
    { QM_MASTER_KEY: 'short', PORT: '0' },
    /2 mistakes:[\s\S]*PORT: expected a port number[\s\S]*QM_MASTER_KEY: expected 32 bytes|2 mistakes:[\s\S]*QM_MASTER_KEY: expected 32 bytes[\s\S]*PORT: expected a port number/,
  ],
])('%s is told in a sentence with the fix', async (_name, env, sentence) => {
  const product = await startProduct(dataDir, env)
  expect(await product.exit).toBe(1)
  expect(product.output()).toMatch(sentence)
  expect(product.output()).toContain('→')
  expect(product.output()).not.toContain('hidden-word')
  expect(processesOf(dataDir)).toEqual([])
})

test('another master key than the one that sealed the data is refused before anything is written', async () => {
  const first = await startProduct(dataDir)
  await first.printed(ready)
  first.child.kill('SIGTERM')
  await first.exit
  const key = readFileSync(join(dataDir, 'master.key'))
  const other = await startProduct(dataDir, { QM_MASTER_KEY: 'ab'.repeat(32) })
  expect(await other.exit).toBe(1)
  expect(other.output()).toMatch(/master key/i)
  rmSync(join(dataDir, 'master.key'))
  const lost = await startProduct(dataDir)
  expect(await lost.exit).toBe(1)
  expect(lost.output()).toMatch(/master key/i)
  writeFileSync(join(dataDir, 'master.key'), key, { mode: 0o600 })
  const back = await startProduct(dataDir)
  await back.printed(ready)
  back.child.kill('SIGTERM')
  expect(await back.exit).toBe(0)
}, 120_000)

test('a damaged data folder is told with what to do, and left as it is', async () => {
  mkdirSync(join(dataDir, 'postgres'), { recursive: true })
  writeFileSync(join(dataDir, 'postgres/PG_VERSION'), '18\n')
  const product = await startProduct(dataDir)
  expect(await product.exit).toBe(1)
  expect(product.output()).toMatch(/PostgreSQL could not start on .*\n {2}→ .*backup/)
  expect(readFileSync(join(dataDir, 'postgres/PG_VERSION'), 'utf8')).toBe('18\n')
})
