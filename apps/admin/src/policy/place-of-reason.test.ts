import { Policy, type PolicyConfig } from '@quartermaster/tools'
import { expect, test } from 'vitest'
import { placeOfReason } from './place-of-reason.ts'

const tool = {
  name: 'shell.exec',
  title: 'Run',
  description: 'Runs',
  category: 'test',
  inputSchema: { type: 'object' as const },
  effect: 'execute' as const,
  execute: async () => ({ success: true, output: '' }),
}
const rules = [{ id: 'rul_1', name: 'No shell', pattern: '*', verdict: 'deny' as const }]
const places = (config: Partial<PolicyConfig>, context = {}) =>
  new Policy({ profile: 'full', ...config })
    .decide(tool, {}, { agent: 'agt_1', attachments: ['shell.exec'], ...context })
    .trail.map((entry) => placeOfReason(entry, { agentId: 'agt_1', toolId: 'tool/1', rules })?.href ?? null)

test('each reason leads to the page where it is written', () => {
  expect(places({ disabled: ['shell.exec'] })).toEqual(['/tools/tool%2F1'])
  expect(places({}, { attachments: [] })).toEqual(['/agents/agt_1/tools?tool=tool%2F1'])
  expect(places({ deny: ['shell.*'] })).toEqual(['/agents/agt_1/tools', '/policies', '/policies'])
  expect(places({ profile: 'minimal' }).at(-1)).toBe('/policies')
  expect(places({ agents: { agt_1: { deny: ['*'] } } }).at(-1)).toBe('/agents/agt_1')
  expect(places({ providers: { p: { deny: ['*'] } } }, { provider: 'p' }).at(-1)).toBe('/policies/layers')
  expect(places({}, { skill: 's' }).at(-1)).toBe('/policies/layers')
  expect(places({ rules }).at(-1)).toBe('/policies/rules/rul_1')
  expect(places({ hooks: [{ pattern: '*', hook: 'log' }] }).at(-1)).toBe('/policies/hooks')
  expect(places({}).at(-1)).toBe('/tools/tool%2F1')
  expect(places({}, { autonomy: 'autonomous' }).at(-1)).toBe('/agents/agt_1')
  expect(places({}, { taint: ['https://x.example'] }).at(-1)).toBeNull()
})

test('a rule that the installation fixed has no page of its own', () => {
  const fixed = [{ id: 'fixed', name: 'No push', pattern: '*', verdict: 'deny' as const }]
  expect(places({ rules: fixed }).at(-1)).toBeNull()
})
