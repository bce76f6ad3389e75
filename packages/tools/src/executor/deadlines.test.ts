import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Deadlines } from './deadlines.ts'

const due = (inMs: number, happened: string[], name: string) => ({
  deadline: performance.now() + inMs,
  onDeadline: () => void happened.push(name),
})

it('calls each when its time has come, in that order, and no sooner', async () => {
  const deadlines = new Deadlines()
  const happened: string[] = []
  const start = performance.now()
  await new Promise<void>((resolve) => {
    deadlines.add(due(60, happened, 'last'))
    deadlines.add(due(20, happened, 'first'))
    const end = { deadline: start + 80, onDeadline: resolve }
    deadlines.add(end)
  })
  expect(happened).toEqual(['first', 'last'])
  expect(performance.now() - start).toBeGreaterThanOrEqual(80)
  expect(deadlines.size).toBe(0)
})

it('forgets what was removed', async () => {
  const deadlines = new Deadlines()
  const happened: string[] = []
  const removed = due(5, happened, 'removed')
  deadlines.add(removed)
  deadlines.add(due(15, happened, 'kept'))
  deadlines.remove(removed)
  await sleep(40)
  expect(happened).toEqual(['kept'])
})

it('lets one be added again with another deadline while it is called', async () => {
  const deadlines = new Deadlines()
  let calls = 0
  await new Promise<void>((resolve) => {
    const again = {
      deadline: performance.now() + 5,
      onDeadline() {
        if (++calls === 3) return resolve()
        this.deadline = performance.now() + 5
        deadlines.add(this)
      },
    }
    deadlines.add(again)
  })
  expect(calls).toBe(3)
})
