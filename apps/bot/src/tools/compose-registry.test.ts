import { seedFirstData } from '@quartermaster/db'
import { useTestDatabase } from '@quartermaster/db/testing'
import { expect, test } from 'vitest'
import { createPolicies } from '../policy/load-policy.ts'
import { builtinTools, composeRegistry } from './compose-registry.ts'

const database = useTestDatabase()

test('a fresh workspace can read and ask at once, and a person confirms what is written', async () => {
  const { db } = database
  await seedFirstData(db, {
    ownerEmail: 'ada@example.com',
    ownerPassword: 'a long enough password',
    workspaceName: 'First',
  })
  const agent = await db.prisma.agent.findFirstOrThrow()
  const { policy, agents } = await createPolicies(db, { rules: [] }).of(agent.workspaceId, agent.id)
  const { autonomy, provider } = agents.get(agent.id)!
  const registry = composeRegistry(builtinTools(db))
  const decide = (name: string, args: object) =>
    policy.decide(registry.get(name)!, args, { agent: agent.id, provider, autonomy, attachments: null })
  expect(decide('vfs.write', { path: '/a', content: 'x' })).toMatchObject({
    verdict: 'ask',
    approval: { mayEdit: true, lease: { maxUses: 20 } },
  })
  for (const [name, args] of [
    ['vfs.read', { path: '/a' }],
    ['vfs.list', { path: '/' }],
    ['ask_user', { question: 'Which?' }],
    ['system.info', {}],
  ] as const)
    expect([name, decide(name, args).verdict]).toEqual([name, 'allow'])
})
