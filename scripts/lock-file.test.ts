import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { takeLock } from './lock-file.mjs'

let folder = ''
let file = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'qm-lock-'))
  file = join(folder, 'lock')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Another process that takes the lock, prints whether it got it, and holds it until its input ends. */
function startHolder() {
  const code = `import { takeLock } from ${JSON.stringify(join(import.meta.dirname, 'lock-file.mjs'))}
    const { release, heldBy } = takeLock(${JSON.stringify(file)})
    console.log(release ? 'took' : 'held by ' + heldBy)
    process.stdin.on('end', () => release?.()).resume()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'inherit'] })
  const said = new Promise<string>((done) => child.stdout.once('data', (chunk) => done(String(chunk).trim())))
  const gone = new Promise((done) => child.once('exit', done))
  return { child, said, gone }
}

test('of many processes one has the lock, and the others learn which', async () => {
  const holders = Array.from({ length: 8 }, startHolder)
  const answers = await Promise.all(holders.map(({ said }) => said))
  const winner = holders[answers.indexOf('took')]
  expect(answers.filter((answer) => answer === 'took')).toHaveLength(1)
  expect(answers.filter((answer) => answer === `held by ${winner?.child.pid}`)).toHaveLength(7)
  for (const { child, gone } of holders) {
    child.stdin.end()
    await gone
  }
  expect(readdirSync(folder)).toEqual([])
})

test('a lock whose holder was killed goes to exactly one of those who want it', async () => {
  const killed = startHolder()
  expect(await killed.said).toBe('took')
  killed.child.kill('SIGKILL')
  await killed.gone
  const holders = Array.from({ length: 8 }, startHolder)
  const answers = await Promise.all(holders.map(({ said }) => said))
  expect(answers.filter((answer) => answer === 'took')).toHaveLength(1)
  for (const { child, gone } of holders) {
    child.stdin.end()
    await gone
  }
})

test.runIf(process.platform === 'linux')(
  'a lock does not pass to another program that got the pid of its holder',
  () => {
    writeFileSync(file, `${process.ppid}:1`)
    const lock = takeLock(file)
    expect(lock.heldBy).toBeNull()
    lock.release?.()
  },
)

test('a lock that somebody else has by now is not given back by its former holder', () => {
  const { release } = takeLock(file)
  writeFileSync(file, 'another')
  release?.()
  expect(readFileSync(file, 'utf8')).toBe('another')
  expect(existsSync(file)).toBe(true)
})
