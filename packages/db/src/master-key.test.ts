import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  checkMasterKey,
  createKeyFile,
  deriveKey,
  loadMasterKeys,
  masterKeyFile,
  masterKeyOf,
  nextMasterKeyFile,
} from './master-key.ts'
import { Problem } from './problem.ts'
import { useTestDatabase } from './testing.ts'

const database = useTestDatabase()
let dataDir = ''
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'qm-key-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

test('the first start makes a key file that only its owner can read, and the next start finds the same key', () => {
  const first = loadMasterKeys({ dataDir, mayCreate: true })
  expect(statSync(masterKeyFile(dataDir)).mode & 0o777).toBe(0o600)
  expect(first.current.bytes).toHaveLength(32)
  expect(first.previous).toBeNull()
  expect(loadMasterKeys({ dataDir, mayCreate: false })).toEqual(first)
  expect(readdirSync(dataDir)).toEqual(['master.key'])
})

test('a missing key is a problem with its fix, and nothing is made, where no key may be made', () => {
  expect(() => loadMasterKeys({ dataDir, mayCreate: false })).toThrow(Problem)
  expect(() => loadMasterKeys({ dataDir, mayCreate: false })).toThrow(/no master key/)
  expect(existsSync(masterKeyFile(dataDir))).toBe(false)
})

test('a key file that others can read is refused', () => {
  createKeyFile(masterKeyFile(dataDir))
  for (const mode of [0o644, 0o640, 0o604, 0o660]) {
    chmodSync(masterKeyFile(dataDir), mode)
    expect(() => loadMasterKeys({ dataDir, mayCreate: true })).toThrow(/open to other users/)
  }
  chmodSync(masterKeyFile(dataDir), 0o400)
  expect(loadMasterKeys({ dataDir, mayCreate: true }).current.bytes).toHaveLength(32)
})

test('a file that holds no key is a problem and is not written over', () => {
  writeFileSync(masterKeyFile(dataDir), 'something else\n', { mode: 0o600 })
  expect(() => loadMasterKeys({ dataDir, mayCreate: true })).toThrow(/does not hold a master key/)
})

test('a given key wins over the file, and makes none', () => {
  const key = randomBytes(32)
  expect(loadMasterKeys({ key, dataDir, mayCreate: true }).current).toEqual(masterKeyOf(key))
  expect(existsSync(masterKeyFile(dataDir))).toBe(false)
})

test('a rotation by file that was broken off leaves both keys in use', () => {
  const old = createKeyFile(masterKeyFile(dataDir))
  const next = createKeyFile(nextMasterKeyFile(dataDir))
  expect(loadMasterKeys({ dataDir, mayCreate: true })).toEqual({ current: next, previous: old })
})

test('processes that make the key file at once agree on one key', async () => {
  const program = join(dataDir, 'make.mjs')
  const module = JSON.stringify(join(import.meta.dirname, 'master-key.ts'))
  writeFileSync(
    program,
    `const { loadMasterKeys } = await import(${module})
     process.on('message', () => {
       process.send(loadMasterKeys({ dataDir: process.argv[2], mayCreate: true }).current.id)
       process.disconnect()
     })
     process.send('ready')`,
  )
  const folder = join(dataDir, 'data')
  const children = Array.from({ length: 4 }, () => fork(program, [folder], { execArgv: [], stdio: 'inherit' }))
  const said = (child: (typeof children)[number]) => new Promise((done) => child.once('message', done))
  await Promise.all(children.map(said))
  const answers = children.map(said)
  for (const child of children) child.send('go')
  const ids = await Promise.all(answers)
  expect(new Set(ids).size).toBe(1)
  expect(loadMasterKeys({ dataDir: folder, mayCreate: false }).current.id).toBe(ids[0])
  expect(readdirSync(folder)).toEqual(['master.key'])
})

test('keys of different purposes and of different master keys differ, and the same ones agree', () => {
  const [a, b] = [masterKeyOf(randomBytes(32)), masterKeyOf(randomBytes(32))]
  expect(deriveKey(a, 'secrets')).toEqual(deriveKey(a, 'secrets'))
  expect(deriveKey(a, 'secrets')).not.toEqual(deriveKey(a, 'console session'))
  expect(deriveKey(a, 'secrets')).not.toEqual(deriveKey(b, 'secrets'))
  expect(deriveKey(a, 'secrets')).not.toEqual(a.bytes)
  expect(a.bytes.toString('hex')).not.toContain(a.id)
})

test('a wrong master key is told in one sentence that names both fingerprints and no key', async () => {
  const right = { current: masterKeyOf(randomBytes(32)), previous: null }
  const wrong = { current: masterKeyOf(randomBytes(32)), previous: null }
  await Promise.all(Array.from({ length: 5 }, () => checkMasterKey(database.db, right)))
  await checkMasterKey(database.db, { current: wrong.current, previous: right.current })
  const failure = await checkMasterKey(database.db, wrong).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(Problem)
  const { message } = failure as Problem
  expect(message).toContain(right.current.id)
  expect(message).toContain(wrong.current.id)
  expect(message).not.toContain(wrong.current.bytes.toString('hex'))
})
