// npm run secrets:rotate: re-wraps every secret from the previous master key to the current one.
//
//   QM_MASTER_KEY_PREVIOUS=<old> QM_MASTER_KEY=<new> npm run secrets:rotate
//   npm run secrets:rotate -- --new-file      makes the new key itself, where the key is the file in the data folder
//
// With --new-file a kill -9 at any line loses nothing. The new key is in master.key.new, on disk, before the first
// secret is re-wrapped with it, and every start uses both files while both are there. When all is done, the old key
// gets a name of its own and the new one takes its place, each by one atomic step. Running it again goes on.
import { existsSync, linkSync, renameSync } from 'node:fs'
import { parseArgs } from 'node:util'
import {
  createKeyFile,
  loadMasterKeys,
  masterKeyFile,
  nextMasterKeyFile,
  Problem,
  rotateMasterKey,
  syncFolder,
} from '@quartermaster/db'
import { type ScriptEnvironment, withDatabase } from './database.ts'
import { readScriptEnvironment } from './environment.ts'
import { runProgram } from './program.ts'

await runProgram(async () => {
  const { values } = parseArgs({ options: { 'new-file': { type: 'boolean', default: false } } })
  const env = readScriptEnvironment()
  const rewrapped = values['new-file'] ? await rotateFile(env) : await rotate(env)
  console.log(`${rewrapped} ${rewrapped === 1 ? 'secret was' : 'secrets were'} re-wrapped with the new master key.`)
  console.log('Restart Quartermaster now: what is running still holds the old key and opens no secret any more.')
  return 0
})

async function rotate(env: ScriptEnvironment): Promise<number> {
  return withDatabase(env, async (db) => {
    const keys = loadMasterKeys({
      key: env.QM_MASTER_KEY,
      previous: env.QM_MASTER_KEY_PREVIOUS,
      dataDir: env.QM_DATA_DIR,
      mayCreate: false,
    })
    return (await rotateMasterKey(db, keys)).rewrapped
  })
}

async function rotateFile(env: ScriptEnvironment): Promise<number> {
  if (env.QM_MASTER_KEY || env.QM_MASTER_KEY_PREVIOUS)
    throw new Problem(
      'The master key is given by QM_MASTER_KEY, so there is no key file to change.',
      'Set QM_MASTER_KEY to the new key and QM_MASTER_KEY_PREVIOUS to the old one, and run this without --new-file.',
    )
  const [file, next] = [masterKeyFile(env.QM_DATA_DIR), nextMasterKeyFile(env.QM_DATA_DIR)]
  // Throws where there is no key to rotate from, before a new one is made.
  const { current, previous } = loadMasterKeys({ dataDir: env.QM_DATA_DIR, mayCreate: false })
  const old = previous ?? current
  if (!existsSync(next)) createKeyFile(next)
  const rewrapped = await rotate(env)

  const kept = `${file}.${old.id}`
  if (!existsSync(kept)) linkSync(file, kept)
  renameSync(next, file)
  syncFolder(env.QM_DATA_DIR)
  console.log(`The old key is kept as ${kept}, for backups of the database from before.`)
  console.log('Delete it when you need no such backup any more.')
  return rewrapped
}
