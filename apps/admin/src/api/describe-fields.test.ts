import { expect, test } from 'vitest'
import { describeFields, typeOf } from './describe-fields.ts'

const schemas = {
  Agent: {
    type: 'object',
    description: 'Somebody who works.',
    properties: {
      id: { type: 'string' },
      seen: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
    },
    required: ['id'],
  },
}

test('the fields of an object in an object and of a list of objects are lines of their own', () => {
  const schema = {
    type: 'object',
    properties: {
      agent: { $ref: '#/components/schemas/Agent' },
      others: { type: 'array', items: { $ref: '#/components/schemas/Agent' }, description: 'All.' },
    },
    required: ['agent'],
  }
  expect(describeFields(schema, schemas)).toEqual([
    { name: 'agent', type: 'object', required: true, description: 'Somebody who works.' },
    { name: 'agent.id', type: 'text', required: true, description: '' },
    { name: 'agent.seen', type: 'time or null', required: false, description: '' },
    { name: 'others', type: 'list of objects', required: false, description: 'All.' },
    { name: 'others[].id', type: 'text', required: true, description: '' },
    { name: 'others[].seen', type: 'time or null', required: false, description: '' },
  ])
})

test('types are told in words', () => {
  expect(
    [
      {},
      { type: 'integer' },
      { enum: ['a', 'b'] },
      { const: true },
      { type: ['string', 'null'] },
      { type: 'array', items: { enum: ['x'] } },
    ].map((schema) => typeOf(schema, {})),
  ).toEqual(['any JSON', 'whole number', '“a”, “b”', 'true', 'text or null', 'list of “x”'])
})
