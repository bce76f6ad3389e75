// A minute of races as root, and another as an ordinary user. In a file of its own, so that other tests go on meanwhile.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runAsOrdinaryUser } from '../../sandbox/testing/as-ordinary-user.ts'
import { describeNeeding } from '../../sandbox/testing/needs.ts'
import { holdsUnlikePlantedBug } from '../planted-bug.ts'
import { probeRaces, type RaceProbe, racedGuards } from './race-probe.ts'

const raceMs = 60_000

function neverGotOut({ situations, attempts, successes, escapes }: RaceProbe): void {
  expect(escapes).toEqual([])
  expect(situations).toBeGreaterThanOrEqual(100)
  expect(attempts).toBeGreaterThan(1_000)
  // It was raced with, and did not merely refuse.
  expect(Object.values(successes)).toHaveLength(4)
  for (const [what, count] of Object.entries(successes)) expect(count, what).toBeGreaterThan(20)
}

test('what is swapped for a link, over and over, is never followed out of the work folder', { timeout: 240_000 }, () =>
  holdsUnlikePlantedBug('handles', 'planted', async (guard) =>
    neverGotOut(await probeRaces(racedGuards[guard]!, raceMs)),
  ),
)

describeNeeding(['root'], 'for an ordinary user as well as for root', () => {
  test('it is never followed out', { timeout: 240_000 }, () =>
    holdsUnlikePlantedBug('handles', 'planted', async (guard) => {
      const script = join(import.meta.dirname, 'race-probe.ts')
      const { uid, ...result } = JSON.parse(await runAsOrdinaryUser(script, guard, String(raceMs)))
      expect(uid).toBeGreaterThan(0)
      neverGotOut(result)
    }),
  )
})
