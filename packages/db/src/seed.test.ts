import { expect, test } from 'vitest'
import { verifyAudit } from './audit.ts'
import { Problem } from './problem.ts'
import { seedFirstData } from './seed.ts'
import { signIn } from './sign-in.ts'
import { useTestDatabase } from './testing.ts'

const database = useTestDatabase()
const first = {
  ownerEmail: 'Ada.Lovelace@Example.com',
  ownerPassword: 'a long enough password',
  workspaceName: 'Café 7',
}
const count = async (table: string) =>
  (await database.db.pool.query(`SELECT count(*)::int AS n FROM ${table}`)).rows[0].n

test('an owner’s e-mail or password that cannot be is refused, and nothing is made', async () => {
  await expect(seedFirstData(database.db, { ...first, ownerEmail: 'nobody' })).rejects.toThrow(Problem)
  await expect(seedFirstData(database.db, { ...first, ownerPassword: 'short' })).rejects.toThrow(Problem)
  expect(await count('workspaces')).toBe(0)
})

test('of several processes that seed at once, one does', async () => {
  const results = await Promise.all(Array.from({ length: 5 }, () => seedFirstData(database.db, first)))
  expect(results.filter((result) => result.created)).toHaveLength(1)
  for (const table of ['workspaces', 'logins', 'members', 'identities', 'agents', 'agent_versions', 'channels'])
    expect([table, await count(table)]).toEqual([table, 1])
})

test('the owner can sign in, the agent is published, and the log begins with it', async () => {
  const signedIn = await signIn(database.db, {
    email: first.ownerEmail,
    password: first.ownerPassword,
    address: '127.0.0.1',
    userAgent: null,
  })
  expect(signedIn.ok).toBe(true)
  const workspace = await database.db.prisma.workspace.findFirstOrThrow({
    include: { members: true, policySettings: true, channels: true, agents: { include: { versions: true } } },
  })
  expect(workspace).toMatchObject({
    slug: 'cafe-7',
    members: [{ name: 'Ada Lovelace', email: 'ada.lovelace@example.com', role: 'owner' }],
    policySettings: {
      profile: 'messaging',
      allow: expect.arrayContaining(['group:fs', 'group:runtime']),
      hooks: ['vfs.write', 'file.write', 'file.edit'].map((pattern) => ({ pattern, hook: 'confirm' })),
    },
    channels: [{ kind: 'web', defaultAgentId: workspace.agents[0]?.id }],
    agents: [{ slug: 'quartermaster', versions: [{ number: 1, publishedBy: workspace.members[0]?.id }] }],
  })
  expect(workspace.agents[0]?.versions[0]?.publishedAt).not.toBeNull()
  expect(await verifyAudit(database.db, workspace.id)).toMatchObject({ ok: true, events: 2 })
})

test('a second start seeds nothing and does not care what the settings say by then', async () => {
  expect(await seedFirstData(database.db, { ...first, ownerPassword: 'short' })).toEqual({ created: false })
})
