import { seedFirstData } from '@quartermaster/db'
import { useTestDatabase } from '@quartermaster/db/testing'
import { describeBuiltinTools } from '@quartermaster/tools'
import { expect, test } from 'vitest'
import { createPolicies } from '../policy/load-policy.ts'
import { composeRegistry } from './compose-registry.ts'

const database = useTestDatabase()

test('a fresh workspace can read, compute and ask at once, and a person confirms what is written and run', async () => {
  const { db } = database
  await seedFirstData(db, {
    ownerEmail: 'ada@example.com',
    ownerPassword: 'a long enough password',
    workspaceName: 'First',
  })
  const agent = await db.prisma.agent.findFirstOrThrow()
  const { policy, agents } = await createPolicies(db, { rules: [] }).of(agent.workspaceId, agent.id)
  const { autonomy, provider } = agents.get(agent.id)!
  const registry = composeRegistry(describeBuiltinTools())
  const decide = (name: string, args: object) =>
    policy.decide(registry.get(name)!, args, { agent: agent.id, provider, autonomy, attachments: null })
  expect(decide('vfs.write', { path: '/a', content: 'x' })).toMatchObject({
    verdict: 'ask',
    approval: { mayEdit: true, lease: { maxUses: 20 } },
  })
  for (const [name, args] of [
    ['file.write', { path: 'a', content: 'x' }],
    ['file.edit', { path: 'a', search: 'x', replace: 'y' }],
    ['shell.exec', { command: 'ls', cwd: '/' }],
    ['process.start', { command: 'ls', cwd: '/' }],
    ['git.commit', { message: 'x' }],
  ] as const)
    expect([name, decide(name, args).verdict]).toEqual([name, 'ask'])
  for (const [name, args] of [
    ['http.request', { url: 'https://example.com', method: 'POST' }],
    ['sessions.delete', { id: 'cnv_1' }],
  ] as const)
    expect([name, decide(name, args).verdict]).toEqual([name, 'deny'])
  for (const [name, args] of [
    ['file.list', {}],
    ['file.read', { path: 'a' }],
    ['python.exec', { code: 'print(1)' }],
    ['git.status', {}],
    ['web.fetch', { url: 'https://example.com', method: 'GET' }],
    ['sessions.list', {}],
    ['vfs.read', { path: '/a' }],
    ['vfs.list', { path: '/' }],
    ['ask_user', { question: 'Which?' }],
    ['system.info', {}],
  ] as const)
    expect([name, decide(name, args).verdict]).toEqual([name, 'allow'])
})
