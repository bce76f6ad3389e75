import { expect, test } from 'vitest'
import { readInstallationPolicy, saveInstallationPolicy } from './installation-policy.ts'
import { useTestDatabase } from './testing.ts'

const database = useTestDatabase()

test('the installation’s settings are kept as they are now, and written only where they changed', async () => {
  const { db } = database
  expect(await readInstallationPolicy(db)).toBeNull()
  expect(await saveInstallationPolicy(db, { POLICY_MAX_STEPS: '8' })).toBe(true)
  const first = await readInstallationPolicy(db)
  expect(first?.settings).toEqual({ POLICY_MAX_STEPS: '8' })
  expect(await saveInstallationPolicy(db, { POLICY_MAX_STEPS: '8' })).toBe(false)
  expect(await readInstallationPolicy(db)).toEqual(first)
  expect(await saveInstallationPolicy(db, {})).toBe(true)
  expect((await readInstallationPolicy(db))?.settings).toEqual({})
})
