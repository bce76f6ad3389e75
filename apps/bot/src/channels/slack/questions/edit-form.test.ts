import type { QuestionCard } from '@quartermaster/db'
import { expect, test } from 'vitest'
import { editBlockId, editFields, problemsByField, readEdited } from './edit-form.ts'
import type { FieldValue } from './read-values.ts'

const inputSchema = {
  type: 'object',
  properties: {
    to: { type: 'string', description: 'Who gets it' },
    count: { type: 'integer' },
    ratio: { type: 'number' },
    urgent: { type: 'boolean' },
    size: { enum: ['small', 'large', 3] },
    tags: { type: 'array', items: { type: 'string' } },
    text: { type: 'string' },
    constructor: { type: 'string' },
  },
  required: ['to'],
}
const args = { to: 'bob', count: 2, urgent: true, size: 3, tags: ['a'], text: 'x'.repeat(3_001), extra: { kept: true } }
const card = { inputSchema, arguments: args } as Pick<QuestionCard, 'inputSchema' | 'arguments'>

/** As Slack sends what stands in the fields. */
const written = (values: Record<string, string | number>) => (blockId: string) => {
  const index = editFields(card).findIndex((_, at) => editBlockId(at) === blockId)
  const name = editFields(card)[index]?.name as string
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  const nothing: FieldValue = { text: null, indexes: [] }
  if (value === undefined) return nothing
  return typeof value === 'number' ? { ...nothing, indexes: [value] } : { ...nothing, text: value }
}
const unchanged = { to: 'bob', count: '2', urgent: 0, size: 2, tags: '["a"]' }

test('each argument has a field of its kind, and what is too long for one stays as it is', () => {
  expect(Object.fromEntries(editFields(card).map(({ name, kind }) => [name, kind]))).toEqual({
    to: 'text',
    count: 'integer',
    ratio: 'number',
    urgent: 'boolean',
    size: 'choice',
    tags: 'json',
    text: 'kept',
    constructor: 'text',
  })
})

test('a form that was not touched gives the same arguments, with those that it has no field for', () => {
  expect(readEdited(card, written(unchanged))).toEqual({ ok: true, arguments: args })
})

test('what was written is read as what its field is, and what was emptied is left out', () => {
  const edited = readEdited(card, written({ ...unchanged, to: 'eve', ratio: '0.5', urgent: 1, size: 0, tags: '' }))
  const { tags: _, ...rest } = args
  expect(edited).toEqual({ ok: true, arguments: { ...rest, to: 'eve', ratio: 0.5, urgent: false, size: 'small' } })
})

test('what cannot be read is told beside its field', () => {
  const edited = readEdited(card, written({ ...unchanged, count: '2.5', ratio: 'much', tags: '[' }))
  expect(edited).toMatchObject({ ok: false, errors: { [editBlockId(1)]: 'Write a whole number.' } })
  expect(Object.keys((edited as { errors: object }).errors)).toEqual([1, 2, 5].map(editBlockId))
})

test('a value that its schema does not fit is shown as JSON and not changed by it', () => {
  const odd = { inputSchema, arguments: { to: { nested: 1 }, count: 'two', text: 'a\r\nb' } } as typeof card
  const kinds = Object.fromEntries(editFields(odd).map(({ name, kind }) => [name, kind]))
  expect(kinds).toMatchObject({ to: 'json', count: 'json', text: 'json' })
})

test('without a schema all of the arguments are one field', () => {
  const bare = { inputSchema: null, arguments: { a: 1 } } as typeof card
  expect(editFields(bare)).toHaveLength(1)
  expect(readEdited(bare, () => ({ text: '{"b":2}', indexes: [] }))).toEqual({ ok: true, arguments: { b: 2 } })
})

test('a problem stands beside the field that it names, else beside the first', () => {
  expect(problemsByField(card, ['count must be positive', 'The policy does not allow this.'])).toEqual({
    [editBlockId(0)]: 'The policy does not allow this.',
    [editBlockId(1)]: 'count must be positive',
  })
})
