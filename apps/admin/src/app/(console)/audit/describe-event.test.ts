import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeActor, describeEvent } from './describe-event.ts'

const names = new Map([
  ['mem_1', 'Maren Holt'],
  ['agt_1', 'Support desk'],
  ['tool_1', 'file.write'],
])
const event = (action: string, data = {}, subject = { kind: 'agent', id: 'agt_1' }, actorId = 'mem_1') => ({
  actor: { kind: actorId === 'mem_1' ? ('member' as const) : ('system' as const), id: actorId },
  ...{ action, subject, data },
})

test('an event is a sentence with the names of what it speaks of', () => {
  const attached = event('tool.attach', { toolId: 'tool_1' })
  expect(`${describeActor(attached, names)} ${describeEvent(attached, names)}`).toBe(
    'Maren Holt attached file.write to Support desk',
  )
  expect(
    describeEvent(
      event('member.change-role', { role: { before: 'viewer', after: 'admin' } }, { kind: 'member', id: 'mem_1' }),
      names,
    ),
  ).toBe('made themselves admin (was viewer)')
  expect(describeEvent(event('policy.rule-add', {}, { kind: 'rule', id: 'git push' }), names)).toBe(
    'added the rule “git push”',
  )
})

test('what is not known is shown by its own name', () => {
  expect(describeEvent(event('future.do-it'), names)).toBe('future: do it · Support desk')
  expect(describeActor(event('x.y', {}, { kind: 'x', id: 'x' }, 'retention'), names)).toBe('The system (retention)')
  expect(describeEvent(event('tool.attach', { toolId: 'tool_gone' }), names)).toBe('attached tool_gone to Support desk')
})

test('every action that packages/db records has words of its own', () => {
  const folder = join(import.meta.dirname, '../../../../../../packages/db/src')
  const found = readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(/action: '([a-z-]+\.[a-z-]+)'/g)])
    .map((match) => match[1] as string)
  expect(found.length).toBeGreaterThan(30)
  // The fallback begins with the action itself.
  const wordless = [...new Set(found)].filter((action) =>
    describeEvent(event(action), names).startsWith(action.replace('.', ': ').replaceAll('-', ' ')),
  )
  expect(wordless).toEqual([])
})
