import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createInOrder } from './in-order.ts'

test('what belongs together goes one after the other, and other things beside it', async () => {
  const inOrder = createInOrder()
  const done: string[] = []
  const step = (name: string, ms: number) => async () => {
    await sleep(ms)
    done.push(name)
  }
  await Promise.all([inOrder('a', step('a1', 60)), inOrder('a', step('a2', 0)), inOrder('b', step('b1', 0))])
  expect(done).toEqual(['b1', 'a1', 'a2'])
})

test('a failure is told to who asked, and the next one goes on', async () => {
  const inOrder = createInOrder()
  const failing = inOrder('a', () => Promise.reject(new Error('no')))
  const next = inOrder('a', async () => 'yes')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('yes')
})
