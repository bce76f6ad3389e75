import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { dataVariables, port, readEnvironment, withDotEnv } from './environment.ts'

const folder = mkdtempSync(join(tmpdir(), 'qm-env-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = (name: string, content: string) => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

test('every mistake is named at once, with what was expected and never the value', () => {
  const environment = { DATABASE_URL: 'mysql://secret-value', QM_MASTER_KEY: 'too-short-secret', PORT: '99999' }
  let message = ''
  try {
    readEnvironment({ ...dataVariables, PORT: port(3000), NEEDED: z.string() }, environment)
  } catch (error) {
    message = (error as Error).message
  }
  expect(message).toContain('4 mistakes')
  expect(message).toContain('DATABASE_URL: expected an address that starts with postgresql:// or postgres://')
  expect(message).toContain('QM_MASTER_KEY: expected 32 bytes')
  expect(message).toContain('PORT: expected a port number from 1 to 65535')
  expect(message).toContain('NEEDED is not set: expected a string')
  expect(message).not.toContain('secret')
})

test('a value can come from a file, and not from both', () => {
  const key = file('key', `${'ab'.repeat(32)}\n`)
  expect(readEnvironment(dataVariables, { QM_MASTER_KEY_FILE: key }).QM_MASTER_KEY).toEqual(
    Buffer.from('ab'.repeat(32), 'hex'),
  )
  expect(() => readEnvironment(dataVariables, { QM_MASTER_KEY_FILE: key, QM_MASTER_KEY: 'ab'.repeat(32) })).toThrow(
    'QM_MASTER_KEY and QM_MASTER_KEY_FILE are both set',
  )
  expect(() => readEnvironment(dataVariables, { QM_MASTER_KEY_FILE: join(folder, 'absent') })).toThrow(
    /QM_MASTER_KEY_FILE: .*absent cannot be read \(ENOENT\)/,
  )
})

test('an empty variable counts as not set', () => {
  expect(readEnvironment(dataVariables, { DATABASE_URL: '' }).DATABASE_URL).toBeUndefined()
})

test('.env is read, and what is set outside wins', () => {
  file('.env', 'A=1\nB="two words" # why\n')
  expect(withDotEnv({ A: 'outside' }, folder)).toEqual({ A: 'outside', B: 'two words' })
})
