import { type Database, loadMasterKeys, type MasterKeys, Problem, wrongMasterKey } from '@quartermaster/db'
import type { BotEnv } from '../../apps/bot/src/env.ts'
import { type Check, ok, problem, warning } from './check.ts'

const name = 'Master key'

/** Whether there is a key, whether only we can read it, and whether it is this database's. Makes none. */
export async function checkMasterKeyOf(data: BotEnv['data'], db: Database | null): Promise<Check> {
  const belongsTo = db && (await readKeyId(db))
  let keys: MasterKeys
  try {
    keys = loadMasterKeys({
      key: data.masterKey,
      previous: data.previousMasterKey,
      dataDir: data.dir,
      mayCreate: false,
    })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const isMissing = error.message.startsWith('There is no master key')
    return isMissing && !belongsTo
      ? warning(name, 'There is none yet.', 'Run "npm start": the first start makes one.')
      : problem(name, error.message, error.fix)
  }
  const from = data.masterKey ? 'QM_MASTER_KEY' : 'master.key in the data folder, readable by its owner only'
  if (!db) return ok(name, `There is one: ${from}. Whether it is the database's could not be asked.`)
  if (belongsTo && ![keys.current.id, keys.previous?.id].includes(belongsTo)) {
    const { message, fix } = wrongMasterKey(keys, belongsTo)
    return problem(name, message, fix)
  }
  if (keys.previous && belongsTo === keys.previous.id)
    return warning(name, 'A change of keys is under way.', 'Run "npm run secrets:rotate" to finish it.')
  return ok(name, `The right one: ${from}.`)
}

async function readKeyId(db: Database): Promise<string | null> {
  const fact = await db.prisma.instanceFact.findUnique({ where: { key: 'master_key' } })
  return (fact?.value as { keyId?: string } | undefined)?.keyId ?? null
}
