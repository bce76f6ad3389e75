import { expect, test } from 'vitest'
import { verifyAudit } from './audit.ts'
import { renameLogin } from './rename-login.ts'
import { seedFirstData } from './seed.ts'
import { useTestDatabase } from './testing.ts'

const database = useTestDatabase()

test('a new name reaches the login and its members once, with an event; an empty one is refused', async () => {
  const { db } = database
  await seedFirstData(db, {
    ownerEmail: 'ada.park@example.com',
    ownerPassword: 'a long enough password',
    workspaceName: 'Northwind',
  })
  const login = await db.prisma.login.findFirstOrThrow()

  expect(await renameLogin(db, { loginId: login.id, name: '  Ada P. Park ' })).toBe(true)
  expect(await renameLogin(db, { loginId: login.id, name: 'Ada P. Park' })).toBe(false)
  expect(() => renameLogin(db, { loginId: login.id, name: ' ' })).toThrow('Expected a name')

  expect((await db.prisma.login.findFirstOrThrow()).name).toBe('Ada P. Park')
  const member = await db.prisma.member.findFirstOrThrow()
  expect(member.name).toBe('Ada P. Park')
  const events = await db.prisma.auditEvent.findMany({ where: { action: 'member.rename' } })
  expect(events.map((event) => event.actorId)).toEqual([member.id])
  expect(await verifyAudit(db, member.workspaceId)).toMatchObject({ ok: true })
})
