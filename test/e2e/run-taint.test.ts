import { useTestDatabase } from '@quartermaster/db/testing'
import { toApiName } from '@quartermaster/tools'
import { expect, test } from 'vitest'
import { setUpRuns } from './run-setup.ts'
import { until } from './start-bot.ts'

const database = useTestDatabase()
const use = (tool: string, text: string) => ({ content: [{ tool: toApiName(tool), input: { text } }] })

test('what a step read of strangers counts for the next step of the same claim: what leaves then asks', async () => {
  const { db } = database
  const setup = await setUpRuns(database, [
    use('sample.post', 'before'),
    use('sample.strangers', 'postcards'),
    use('sample.post', 'after'),
    { content: [{ text: 'Done.' }] },
  ])
  const { runId } = await setup.say('send a postcard, read about them, and send another')
  await setup.start()
  const waiting = await until(
    () => setup.run(runId),
    ({ status }) => status !== 'queued' && status !== 'running',
    30_000,
  )
  expect(waiting).toMatchObject({ status: 'waiting', claimNumber: 1, steps: 3 })
  expect(setup.effects().map((line) => line.split(' ')[1])).toEqual(['before'])
  const calls = await db.prisma.toolCall.findMany({ where: { runId }, orderBy: { step: 'asc' } })
  expect(calls).toMatchObject([
    { toolName: 'sample.post', status: 'succeeded', decision: 'allow' },
    { toolName: 'sample.strangers', status: 'succeeded', taint: ['sample.strangers'] },
    { toolName: 'sample.post', status: 'asking' },
  ])
  const [question] = await db.prisma.question.findMany({ where: { runId } })
  expect(question).toMatchObject({ status: 'open', toolCallId: calls[2]?.id })
  expect(JSON.stringify(question?.reasons)).toContain('taint')
}, 60_000)
