// What the process still holds after so many turns, each in a conversation of its own. Bot, model and whoever asks are one
// process here, so what grows may be any of them. The RSS begins at the peak of the measurements before: its growth counts.
import { newId } from '@quartermaster/db'
import type { BenchBot } from './bench-bot.ts'
import { countPerSecond, type Measurement, readSettledMemory } from './measure.ts'

const marks = [1_000, 5_000, 10_000]
const step = 250
const atOnce = 32
/** Without --long it ends here, with the turns it made by then. */
const patienceMs = 90_000

export async function measureTurnMemory(bot: BenchBot, long: boolean): Promise<Measurement[]> {
  const workspace = await bot.createWorkspace('silent')
  const giveUp = long ? Number.POSITIVE_INFINITY : performance.now() + patienceMs
  const measurements: Measurement[] = []
  let first: { turns: number; heap: number; rss: number } | undefined
  let turns = 0
  for (const mark of marks) {
    while (turns < mark && performance.now() < giveUp) {
      await countPerSecond(step, atOnce, () => bot.turn(workspace, newId('c')))
      turns += step
    }
    const { heap, rss } = await readSettledMemory()
    const figures: Measurement['figures'] = { 'heap (MB)': heap / 1024 ** 2, 'RSS (MB)': rss / 1024 ** 2 }
    if (first) {
      figures['heap growth (bytes a turn)'] = (heap - first.heap) / (turns - first.turns)
      figures['RSS growth (bytes a turn)'] = (rss - first.rss) / (turns - first.turns)
    }
    first ??= { turns, heap, rss }
    const cut = turns < mark ? ` (of ${mark.toLocaleString('en')}: the time was over)` : ''
    measurements.push({ what: `memory after ${turns.toLocaleString('en')} turns${cut}`, figures })
    if (cut) break
  }
  return measurements
}
