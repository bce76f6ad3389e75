import { expect, test } from 'vitest'
import { type AgentConfiguration, blankConfiguration } from './agent-configuration.ts'
import { diffConfigurations, summarizeChanges } from './diff-configurations.ts'

const before: AgentConfiguration = {
  ...blankConfiguration,
  toolsDeny: ['a.*', 'b.*'],
  budgets: { perRunUsd: 1, maxSteps: 5 },
  attachments: [
    { toolId: 'kept', config: { a: 1, b: { c: 2, d: 3 } } },
    { toolId: 'gone', config: null },
    { toolId: 'tuned', config: { a: 1 } },
  ],
}

test('the same configuration has no changes, whatever the order of its keys and tools', () => {
  const same: AgentConfiguration = {
    ...before,
    budgets: { maxSteps: 5, perRunUsd: 1 },
    attachments: [
      { toolId: 'tuned', config: { a: 1 } },
      { toolId: 'gone', config: null },
      { toolId: 'kept', config: { b: { d: 3, c: 2 }, a: 1 } },
    ],
  }
  expect(diffConfigurations(before, same)).toEqual([])
})

test('each value, each pattern and each tool that differs is one change, with what was and what is', () => {
  const changes = diffConfigurations(before, {
    ...before,
    model: 'deep',
    toolsDeny: ['b.*', 'c.*'],
    attachments: [
      { toolId: 'kept', config: { a: 1, b: { c: 2, d: 3 } } },
      { toolId: 'new', config: null },
      { toolId: 'tuned', config: { a: 2 } },
    ],
  })
  expect(changes).toEqual([
    { kind: 'value', field: 'model', before: 'balanced', after: 'deep' },
    { kind: 'list', field: 'toolsDeny', added: ['c.*'], removed: ['a.*'] },
    { kind: 'tool', toolId: 'gone', before: { toolId: 'gone', config: null }, after: null },
    { kind: 'tool', toolId: 'new', before: null, after: { toolId: 'new', config: null } },
    {
      kind: 'tool',
      toolId: 'tuned',
      before: { toolId: 'tuned', config: { a: 1 } },
      after: { toolId: 'tuned', config: { a: 2 } },
    },
  ])
  expect(summarizeChanges(changes)).toEqual({
    changed: ['model', 'toolsDeny'],
    attached: ['new'],
    detached: ['gone'],
    configured: ['tuned'],
  })
})
