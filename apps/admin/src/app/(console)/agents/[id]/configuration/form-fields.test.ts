import type { AgentConfiguration } from '@quartermaster/db'
import { expect, test } from 'vitest'
import { toChange, toFields } from './form-fields.ts'

const configuration: AgentConfiguration = {
  ...{ model: 'deep', provider: 'anthropic', instructions: 'Be brief.', profile: 'coding', autonomy: 'standard' },
  ...{ toolsAllow: ['file.*', 'git.*'], toolsDeny: [], approvers: { roles: ['admin'] }, approvalsRequired: 2 },
  ...{ budgets: { perRunUsd: 2.5, maxSteps: 40 }, attachments: [] },
}
const change = (edits: Parameters<typeof toChange>[0]) => toChange(edits, { ...toFields(configuration), ...edits })

test('what nobody touched is not sent, and what was sent back unchanged is what it was', () => {
  expect(change({})).toEqual({})
  const { attachments: _, ...rest } = configuration
  expect(change(toFields(configuration))).toEqual(rest)
})

test('patterns are taken with any spaces and commas between them, once each', () => {
  expect(change({ toolsDeny: ' file.*, web.fetch\n\nfile.*  mcp:x:* ' })).toEqual({
    toolsDeny: ['file.*', 'web.fetch', 'mcp:x:*'],
  })
})

test('one budget goes with the others, an empty one is none, and what is no number is sent as it was typed', () => {
  expect(change({ perDayUsd: '$10' })).toEqual({ budgets: { perRunUsd: 2.5, perDayUsd: 10, maxSteps: 40 } })
  expect(change({ perRunUsd: ' ' })).toEqual({ budgets: { maxSteps: 40 } })
  expect(change({ maxSteps: 'many' })).toEqual({ budgets: { perRunUsd: 2.5, maxSteps: 'many' } })
  expect(change({ perRunUsd: '', maxSteps: '', perRunTokens: '2,000,000' })).toEqual({ budgets: { perRunTokens: 2e6 } })
  expect(change({ perRunUsd: '', maxSteps: '', perRunTokens: '2,5' })).toEqual({ budgets: { perRunTokens: '2,5' } })
  expect(change({ approvalsRequired: '' })).toEqual({ approvalsRequired: null })
})

test('spaces around a name are nobody’s intention, and in instructions they stay', () => {
  expect(change({ model: ' claude-opus-5-5 ', instructions: ' Two\n' })).toEqual({
    model: 'claude-opus-5-5',
    instructions: ' Two\n',
  })
})
