import { expect, test } from 'vitest'
import { migrate, pendingMigrations } from './migrate.ts'
import { useTestDatabase } from './testing.ts'

const database = useTestDatabase()

test('a migrated database lacks nothing, and migrating it again applies nothing', async () => {
  expect(await pendingMigrations(database.url)).toEqual([])
  expect(await migrate(database.url)).toEqual([])
})
