import { expect, test } from 'vitest'
import { whileAllowed } from './while-allowed.ts'

async function* numbers() {
  for (let number = 1; number <= 5; number++) yield number
}

test('rows come while their reader may have them, and none after that', async () => {
  const taken: number[] = []
  const isAllowed = async () => taken.length < 3
  const take = async () => {
    for await (const number of whileAllowed(numbers(), isAllowed, 0)) taken.push(number)
  }
  await expect(take()).rejects.toThrow('lost the right')
  expect(taken).toEqual([1, 2, 3])
})

test('a reader who keeps the right gets all of them', async () => {
  const taken: number[] = []
  for await (const number of whileAllowed(numbers(), async () => true, 0)) taken.push(number)
  expect(taken).toEqual([1, 2, 3, 4, 5])
})
