// What runs cost the process while they wait for a person: they are rows, and it should hold nothing of them.
import { newId } from '@quartermaster/db'
import type { BenchBot } from './bench-bot.ts'
import { countPerSecond, type Measurement, readSettledMemory } from './measure.ts'

const parked = 1_000
const warmUp = 300
const atOnce = 32

export async function measureParkedRuns(bot: BenchBot): Promise<Measurement> {
  const workspace = await bot.createWorkspace('confirm')
  const park = async (runs: number) => {
    await countPerSecond(runs, atOnce, async () => bot.told(await bot.say(workspace, newId('c')), 'run-park'))
    return readSettledMemory()
  }
  const before = await park(warmUp)
  const after = await park(parked)
  const { rows } = await bot.db.pool.query(
    `SELECT count(*)::int AS waiting FROM runs WHERE workspace_id = $1 AND status = 'waiting'`,
    [workspace.workspaceId],
  )
  if (rows[0].waiting !== warmUp + parked) throw new Error(`${rows[0].waiting} runs are parked`)
  return {
    what: `${parked.toLocaleString('en')} parked runs`,
    figures: {
      'heap before (MB)': before.heap / 1024 ** 2,
      'heap (MB)': after.heap / 1024 ** 2,
      'RSS (MB)': after.rss / 1024 ** 2,
      'heap growth (bytes a run)': (after.heap - before.heap) / parked,
    },
  }
}
