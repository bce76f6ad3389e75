import { expect, it } from 'vitest'
import type { Outcome } from '../executor/outcome.ts'
import { limits } from '../limits.ts'
import { holdsUnlikePlantedBug } from './planted-bug.ts'
import { TaintTracker } from './taint.ts'

const finished = (taint: string[], success = true): Outcome => ({
  kind: 'finished',
  tool: 'web.fetch',
  effect: 'read',
  success,
  code: success ? null : 'tool_failed',
  output: '',
  error: null,
  media: [],
  outputBytes: 0,
  durationMs: 0,
  decision: null,
  warnings: [],
  findings: [],
  taint,
})

it('remembers what was read in the order in which it was read, once each', () => {
  const tracker = new TaintTracker(['mail'])
  for (const source of ['b.example', 'a.example', 'b.example']) tracker.record(finished([source]))
  expect(tracker.sources).toEqual(['mail', 'b.example', 'a.example'])
})

it('stays clean as long as nothing by strangers was read', () => {
  const tracker = new TaintTracker()
  tracker.record(finished([]))
  expect(tracker.tainted).toBe(false)
})

it('counts calls that failed: their errors were written by strangers, too', async () => {
  class OnlySuccesses extends TaintTracker {
    override record(outcome: Outcome) {
      if (outcome.kind === 'finished' && outcome.success) super.record(outcome)
    }
  }
  await holdsUnlikePlantedBug<typeof TaintTracker>(TaintTracker, OnlySuccesses, (Tracker) => {
    const tracker = new Tracker()
    tracker.record(finished(['web.fetch'], false))
    expect(tracker.tainted).toBe(true)
  })
})

it('stays tainted, and small, after any number of sources', () => {
  const tracker = new TaintTracker()
  for (let index = 0; index < 100_000; index++) tracker.add(`source ${index}`)
  expect(tracker.sources.length).toBe(limits.taintSources)
})
