import { expect, test } from 'vitest'
import { readPrices, writePrices } from './prices.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace } from './testing-workspace.ts'

const database = useTestDatabase()

test('a price that an admin sets holds from then on, and the change is in the audit log', async () => {
  const { db } = database
  const { workspaceId, members } = await createTestWorkspace(db)
  expect(await readPrices(db, workspaceId)).toEqual({})
  const prices = { 'my-model': { input: 1, output: 2 } }
  await writePrices(db, workspaceId, prices, { kind: 'member', id: members.admin })
  expect(await readPrices(db, workspaceId)).toEqual(prices)
  expect(await db.prisma.auditEvent.findMany({ where: { workspaceId } })).toMatchObject([{ action: 'prices.change' }])
})

test('a price that is none is refused by its name, and nothing changes', async () => {
  const { db } = database
  const { workspaceId, members } = await createTestWorkspace(db)
  const prices = { 'my-model': { input: -1, output: 2 } }
  await expect(writePrices(db, workspaceId, prices, { kind: 'member', id: members.admin })).rejects.toThrow(
    'my-model.input: Expected at least 0.',
  )
  expect(await readPrices(db, workspaceId)).toEqual({})
})
