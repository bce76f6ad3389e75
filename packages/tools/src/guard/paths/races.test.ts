// A minute of races as root, and the same minute as an ordinary user. In a file of its own, so that other tests go on.
import { join } from 'node:path'
import { describe, type ExpectStatic, test } from 'vitest'
import { runAsOrdinaryUser } from '../../sandbox/testing/as-ordinary-user.ts'
import { describeNeeding } from '../../sandbox/testing/needs.ts'
import { holdsUnlikePlantedBug } from '../planted-bug.ts'
import { probeRaces, type RaceProbe, racedGuards } from './race-probe.ts'

const raceMs = 60_000

function neverGotOut(expect: ExpectStatic, { situations, attempts, successes, escapes }: RaceProbe): void {
  expect(escapes).toEqual([])
  expect(situations).toBeGreaterThanOrEqual(100)
  expect(attempts).toBeGreaterThan(1_000)
  // It was raced with, and did not merely refuse.
  expect(Object.values(successes)).toHaveLength(4)
  for (const [what, count] of Object.entries(successes)) expect(count, what).toBeGreaterThan(20)
}

describe.concurrent('what is swapped for a link, over and over, is never followed out of the work folder', () => {
  test('by root', { timeout: 240_000 }, ({ expect }) =>
    holdsUnlikePlantedBug('handles', 'planted', async (guard) =>
      neverGotOut(expect, await probeRaces(racedGuards[guard]!, raceMs)),
    ),
  )

  describeNeeding(['root'], 'who is not root', () => {
    test('by an ordinary user', { timeout: 240_000 }, ({ expect }) =>
      holdsUnlikePlantedBug('handles', 'planted', async (guard) => {
        const script = join(import.meta.dirname, 'race-probe.ts')
        const { uid, ...result } = JSON.parse(await runAsOrdinaryUser(script, guard, String(raceMs)))
        expect(uid).toBeGreaterThan(0)
        neverGotOut(expect, result)
      }),
    )
  })
})
