// From the click on "Approve" to the start of the tool: the answer is stored, the run is taken again, checked and started.
import { setTimeout as sleep } from 'node:timers/promises'
import { answerQuestion, newId } from '@quartermaster/db'
import type { BenchBot } from './bench-bot.ts'
import { type Measurement, percentile, timeEach } from './measure.ts'

const clicks = 50
const warmUp = 20
/** Nobody clicks before the card is there: what sending it takes is not in the way. */
const beforeClickMs = 50

export async function measureClicks(bot: BenchBot): Promise<Measurement> {
  const workspace = await bot.createWorkspace('confirm')
  const fromClick: number[] = []
  const fromStored: number[] = []
  const roundTrips: number[] = []
  for (let click = -warmUp; click < clicks; click++) {
    const runId = await bot.say(workspace, newId('c'))
    await bot.told(runId, 'run-park')
    const questionId = await findQuestion(bot, runId)
    await sleep(beforeClickMs)
    // Beside it, because other work on the machine comes and goes: what it takes to ask the database anything at all.
    const [roundTrip] = (await timeEach(1, () => bot.db.pool.query('SELECT 1'))) as [number]
    const called = performance.now()
    const answer = { questionId, memberId: workspace.members.approver, verdict: 'approve', surface: 'web' } as const
    const { ok } = await answerQuestion(bot.db, answer)
    const stored = performance.now()
    if (!ok) throw new Error('the answer was refused')
    await bot.told(runId, 'run-end')
    const started = bot.lastToolStart()
    if (!(started > called)) throw new Error('the tool was not started')
    if (click < 0) continue
    fromClick.push(started - called)
    fromStored.push(started - stored)
    roundTrips.push(roundTrip)
  }
  return {
    what: `click to tool start, ${clicks} one at a time`,
    figures: {
      'p50 (ms)': percentile(fromClick, 0.5),
      'p95 (ms)': percentile(fromClick, 0.95),
      'p50 once stored (ms)': percentile(fromStored, 0.5),
      'p95 once stored (ms)': percentile(fromStored, 0.95),
      'SELECT 1, p50 (ms)': percentile(roundTrips, 0.5),
    },
  }
}

async function findQuestion({ db }: BenchBot, runId: string): Promise<string> {
  const { rows } = await db.pool.query(`SELECT id FROM questions WHERE run_id = $1 AND status = 'open'`, [runId])
  if (rows.length !== 1) throw new Error(`there are ${rows.length} open questions`)
  return rows[0].id
}
