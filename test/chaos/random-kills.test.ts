// Two processes work on many runs while one after the other is killed at random moments.

import { setTimeout as sleep } from 'node:timers/promises'
import { receiveEvent } from '@quartermaster/db'
import { useTestDatabase } from '@quartermaster/db/testing'
import { toApiName } from '@quartermaster/tools'
import { expect, test } from 'vitest'
import { deliveriesOf, setUpRuns, transcriptOf } from '../e2e/run-setup.ts'

const database = useTestDatabase()

const script = (request: { messages: unknown[] }) => {
  const results = JSON.stringify(request.messages).split('tool_result').length - 1
  return results < 3
    ? { content: [{ text: `Step ${results + 1}.` }, { tool: toApiName('sample.mark'), input: { text: 'x', ms: 30 } }] }
    : { content: [{ text: 'The end.' }] }
}

test('whatever is killed when, every run ends, no tool is started twice and nothing is said twice', async () => {
  const { db } = database
  const setup = await setUpRuns(database, script)
  const bots = await Promise.all([setup.start(), setup.start()])
  const said = await Promise.all(Array.from({ length: 12 }, (_, index) => setup.say(`go ${index}`)))
  for (let kill = 0; kill < 4; kill++) {
    await sleep(50 + Math.random() * 400)
    const victim = bots[kill % 2] as (typeof bots)[0]
    victim.child.kill('SIGKILL')
    await victim.exited
    bots[kill % 2] = await setup.start()
  }
  for (const { runId, conversationId } of said) {
    expect(await setup.ended(runId, 60_000)).toMatchObject({ status: 'succeeded', steps: 4 })
    const roles = (await transcriptOf(db, conversationId)).map(({ role }) => role)
    expect(roles).toEqual(['user', ...Array.from({ length: 3 }, () => ['assistant', 'tool']).flat(), 'assistant'])
    const texts = (await deliveriesOf(db, conversationId)).flatMap(({ kind, markdown }) =>
      kind === 'text' ? [markdown] : [],
    )
    expect(texts).toEqual(['Step 1.', 'Step 2.', 'Step 3.', 'The end.'])
  }
  const calls = setup.effects().map((line) => line.split(' ')[0])
  expect(new Set(calls).size).toBe(calls.length)
  const statuses = await db.prisma.toolCall.groupBy({ by: ['status'], _count: true })
  expect(
    statuses.map(({ status }) => status).filter((status) => !['succeeded', 'interrupted'].includes(status)),
  ).toEqual([])
}, 120_000)

test('the same event delivered a hundred times at once is one message and one run', async () => {
  const { db } = database
  const setup = await setUpRuns(database, [{ content: [{ text: 'Once.' }] }])
  await setup.start()
  const event = {
    channelId: setup.workspace.channelId,
    eventId: 'the-event',
    place: 'here',
    conversationKey: 'flood',
    memberId: setup.workspace.members.member,
    content: [{ type: 'text', text: 'hello' }],
  }
  const received = await Promise.all(Array.from({ length: 100 }, () => receiveEvent(db, event)))
  const first = received.filter(({ outcome }) => outcome === 'received')
  expect(first).toHaveLength(1)
  const { runId, conversationId } = first[0] as { runId: string; conversationId: string }
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded', steps: 1 })
  expect(await db.prisma.run.count({ where: { conversationId } })).toBe(1)
  expect(await deliveriesOf(db, conversationId)).toMatchObject([{ markdown: 'Once.' }])
})
