import { readInstallationPolicy, syncTools } from '@quartermaster/db'
import { useTestDatabase } from '@quartermaster/db/testing'
import { expect, test } from 'vitest'
import { startBot } from './start-bot.ts'

const database = useTestDatabase()

test('a bot that is ready has written down its tools and the policy of the installation', async () => {
  const { db } = database
  // Of a version that had a tool which this one does not have.
  await syncTools(db, [
    { name: 'old.tool', title: 'Old', description: '', category: 'old', inputSchema: {}, effect: 'read', version: '1' },
  ])
  const bot = await startBot({ DATABASE_URL: database.url, POLICY_GIT_ALLOW_PUSH: 'false', POLICY_MAX_STEPS: '8' })
  expect(bot.ready).toMatchObject({ ready: true })
  expect((await db.prisma.toolDetail.findUniqueOrThrow({ where: { toolId: 'old.tool' } })).goneAt).not.toBeNull()
  expect((await readInstallationPolicy(db))?.settings).toEqual({
    POLICY_GIT_ALLOW_PUSH: 'false',
    POLICY_MAX_STEPS: '8',
  })
  bot.child.kill('SIGTERM')
  expect(await bot.exited).toMatchObject({ code: 0 })
})

test('a policy setting that cannot be read stops the start, by its name', async () => {
  const bot = await startBot({ DATABASE_URL: database.url, POLICY_GIT_ALLOW_PUSH: 'flase' })
  expect(await bot.exited).toMatchObject({ code: 1 })
  expect(bot.output().stderr).toContain('POLICY_GIT_ALLOW_PUSH: expected true or false')
})
