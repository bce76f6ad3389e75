import { expect, test } from 'vitest'
import { storableJson, storableText } from './storable.ts'
import { useTestDatabase } from './testing.ts'

const database = useTestDatabase()

test('whatever a platform, a model or a tool sends can be stored', async () => {
  const value = { 'k\0ey': ['a\0b', { deep: '\ud800' }, 1, null, true], plain: 'ü 🙂 \\u0000', big: 2n ** 70n }
  const { rows } = await database.db.pool.query('SELECT $1::jsonb AS json, $2::text AS text', [
    storableJson(value),
    storableText('a\0\udc00'),
  ])
  expect(rows[0]).toEqual({
    json: {
      'k\uFFFDey': ['a\uFFFDb', { deep: '\uFFFD' }, 1, null, true],
      plain: 'ü 🙂 \\u0000',
      big: '1180591620717411303424',
    },
    text: 'a\uFFFD\uFFFD',
  })
})

test('a value that JSON has no word for is null', () => {
  expect([storableJson(undefined), storableJson(Number.NaN), storableJson({ a: undefined })]).toEqual([
    'null',
    'null',
    '{}',
  ])
})
