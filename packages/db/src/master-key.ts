// The key that wraps every secret's data key. It comes from QM_MASTER_KEY, or from a file in the data folder that the
// first start makes; it is never in the database. While a rotation is under way there are two: new values are sealed
// with the current one, and both open.
//
//   master.key       the key
//   master.key.new   only during a rotation by file (scripts/secrets-rotate.ts): the next key, from before the first
//                    secret is re-wrapped until it takes master.key's place. Whoever finds it uses both.
import { createHash, hkdfSync, randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { platform } from 'node:os'
import { dirname, join } from 'node:path'
import type { Database } from './client.ts'
import { Problem } from './problem.ts'
import { seal, unseal } from './sealing.ts'

export interface MasterKey {
  /** A fingerprint: tells keys apart and tells nothing about them. */
  id: string
  bytes: Buffer
}

export interface MasterKeys {
  current: MasterKey
  previous: MasterKey | null
}

export const masterKeyFile = (dataDir: string) => join(dataDir, 'master.key')
export const nextMasterKeyFile = (dataDir: string) => join(dataDir, 'master.key.new')

export interface MasterKeySource {
  key?: Buffer | undefined
  previous?: Buffer | undefined
  dataDir: string
  /** Whether a key file may be made where there is none: the first start may, everything else must not. */
  mayCreate: boolean
}

export function loadMasterKeys(source: MasterKeySource): MasterKeys {
  const given = source.previous ? masterKeyOf(source.previous) : null
  if (source.key) return withoutTwin(masterKeyOf(source.key), given)

  const file = masterKeyFile(source.dataDir)
  const stored = readKeyFile(file) ?? (source.mayCreate ? createKeyFile(file) : null)
  if (!stored)
    throw new Problem(
      `There is no master key: QM_MASTER_KEY is not set and ${file} does not exist.`,
      'Put the key file back from your backup or set QM_MASTER_KEY; on a new installation "npm start" makes the file.',
    )
  const next = readKeyFile(nextMasterKeyFile(source.dataDir))
  return next ? withoutTwin(next, stored) : withoutTwin(stored, given)
}

const withoutTwin = (current: MasterKey, previous: MasterKey | null): MasterKeys => ({
  current,
  previous: previous?.id === current.id ? null : previous,
})

export function masterKeyOf(bytes: Buffer): MasterKey {
  const proof = hkdfSync('sha256', bytes, '', 'quartermaster fingerprint', 32)
  return { id: createHash('sha256').update(Buffer.from(proof)).digest('hex').slice(0, 16), bytes }
}

/** A key for one purpose; knowing it tells nothing about the master key or about the keys of other purposes. */
export function deriveKey(key: MasterKey, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key.bytes, '', `quartermaster ${purpose}`, 32))
}

/** The key in a file; null when there is none. Throws a Problem when others could read it or it holds no key. */
export function readKeyFile(file: string): MasterKey | null {
  let text: string
  let mode: number
  try {
    mode = statSync(file).mode
    text = readFileSync(file, 'utf8').trim()
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    if (code === 'ENOENT') return null
    throw new Problem(`The master key file ${file} cannot be read (${code}).`, 'Make it readable for this user only.', {
      cause,
    })
  }
  // Windows has no such mode bits.
  if (platform() !== 'win32' && (mode & 0o077) !== 0)
    throw new Problem(
      `The master key file ${file} is open to other users (mode ${(mode & 0o777).toString(8)}, expected 600).`,
      `Run "chmod 600 ${file}". If somebody else may have read it, run "npm run secrets:rotate -- --new-file" after that.`,
    )
  if (!/^[0-9a-f]{64}$/.test(text))
    throw new Problem(
      `The file ${file} does not hold a master key: expected 64 hexadecimal digits.`,
      'Put the file back from your backup: without the key the stored secrets cannot be opened.',
    )
  return masterKeyOf(Buffer.from(text, 'hex'))
}

/**
 * Makes a key file and returns what it holds. The key is written to a file of another name, which then gets the
 * right name only if nobody has it yet: of several processes one wins, all return the winner's key, and a kill at any
 * line leaves a whole key or none.
 */
export function createKeyFile(file: string): MasterKey {
  mkdirSync(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  const handle = openSync(draft, 'wx', 0o600)
  try {
    writeSync(handle, `${randomBytes(32).toString('hex')}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    // Somebody was faster; theirs is read below.
  } finally {
    rmSync(draft)
  }
  syncFolder(dirname(file))
  return readKeyFile(file) as MasterKey
}

/** A new name in a folder survives a power cut only once the folder itself is on disk. */
export function syncFolder(folder: string): void {
  if (platform() === 'win32') return // Windows cannot open a folder, and keeps names in order by itself.
  const handle = openSync(folder, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

const fact = 'master_key'
const knownText = 'Quartermaster knows this text.'

/** The row that says which master key this database belongs to: the key's fingerprint and a text sealed with it. */
export function masterKeyFact(key: MasterKey): { keyId: string; sealed: string } {
  const sealed = seal(deriveKey(key, 'check'), Buffer.from(knownText), [fact, key.id])
  return { keyId: key.id, sealed: sealed.toString('base64') }
}

/** Tells a wrong key at the start, not when the first secret is needed. The first key a database meets becomes its own. */
export async function checkMasterKey(db: Pick<Database, 'pool'>, keys: MasterKeys): Promise<void> {
  await db.pool.query(`INSERT INTO instance_facts (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING`, [
    fact,
    masterKeyFact(keys.current),
  ])
  const { rows } = await db.pool.query(`SELECT value FROM instance_facts WHERE key = $1`, [fact])
  const stored = rows[0].value as { keyId: string; sealed: string }
  const key = [keys.current, keys.previous].find((candidate) => candidate?.id === stored.keyId)
  const plain = key && unseal(deriveKey(key, 'check'), Buffer.from(stored.sealed, 'base64'), [fact, key.id])
  if (plain?.toString() !== knownText) throw wrongMasterKey(keys, stored.keyId)
}

export function wrongMasterKey(keys: MasterKeys, expectedId: string): Problem {
  const known = [keys.current, keys.previous].flatMap((key) => (key ? [key.id] : [])).join(' and ')
  return new Problem(
    `The master key is the wrong one: this database belongs to the key with fingerprint ${expectedId}, and ${known} was given.`,
    'Set QM_MASTER_KEY (or put back master.key in the data folder) to the key this database was used with. To change keys, give the new one as QM_MASTER_KEY and the old one as QM_MASTER_KEY_PREVIOUS and run "npm run secrets:rotate".',
  )
}
