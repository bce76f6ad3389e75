import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface Bench {
  /** One line above its table. */
  about: string
  /** `url` is a migrated, empty database that is dropped afterwards. `long`: what takes its time is not cut short. */
  run(url: string, options: { long: boolean }): Promise<Measurement[]>
}

/** A row of the table: what was measured, and its figures by name with their unit. */
export type Measurement = { what: string; figures: Record<string, number> }

/** Runs `work` one after the other and says how long each took, in milliseconds. */
export async function timeEach(times: number, work: (index: number) => Promise<unknown>): Promise<number[]> {
  const durations: number[] = []
  for (let index = 0; index < times; index++) {
    const start = performance.now()
    await work(index)
    durations.push(performance.now() - start)
  }
  return durations
}

/** Runs `work` with so many at a time and says how many were done in a second. */
export async function countPerSecond(
  times: number,
  atOnce: number,
  work: (index: number) => Promise<unknown>,
): Promise<number> {
  let next = 0
  const start = performance.now()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < times) await work(next++)
    }),
  )
  return (times / (performance.now() - start)) * 1000
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

/** In bytes, of what is left when all garbage is gone. */
export function readMemory(): { heap: number; rss: number } {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  const { heapUsed, rss } = process.memoryUsage()
  return { heap: heapUsed, rss }
}

/** The least of several readings: what still goes on after the end of a run is in some of them, and is no growth. */
export async function readSettledMemory(): Promise<{ heap: number; rss: number }> {
  const readings: { heap: number; rss: number }[] = []
  for (let reading = 0; reading < 5; reading++) {
    await sleep(500)
    readings.push(readMemory())
  }
  return { heap: Math.min(...readings.map(({ heap }) => heap)), rss: Math.min(...readings.map(({ rss }) => rss)) }
}
