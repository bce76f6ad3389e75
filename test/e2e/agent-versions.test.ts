// What is published in the console or attached over the API counts for the bot that is running, and a draft does not.
import { attachTool, detachInDraft, detachTool, publishDraft, readAgent, rollBack, saveDraft } from '@quartermaster/db'
import { useTestDatabase } from '@quartermaster/db/testing'
import { toApiName } from '@quartermaster/tools'
import { expect, test } from 'vitest'
import { type RunSetup, setUpRuns } from './run-setup.ts'

const database = useTestDatabase()

interface Asked {
  model: string
  system: string
  tools: string[]
}

/** What the model is asked with, in the next run. */
async function nextRun(setup: RunSetup, asked: Asked[]): Promise<Asked> {
  const before = asked.length
  const { runId } = await setup.say('go')
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded' })
  return asked[before] as Asked
}

test('a published change counts for the next run without a restart, a draft does not, and going back restores it', async () => {
  const { db } = database
  const asked: Asked[] = []
  const setup = await setUpRuns(database, (request) => {
    const { model, system, tools } = request as { model: string; system?: unknown; tools?: { name: string }[] }
    asked.push({ model, system: JSON.stringify(system ?? ''), tools: (tools ?? []).map(({ name }) => name) })
    return { content: [{ text: 'Done.' }] }
  })
  await setup.start()
  const whose = {
    workspaceId: setup.workspace.workspaceId,
    agentId: setup.workspace.agentId,
    actor: { kind: 'member', id: setup.workspace.members.admin } as const,
    validate: () => [],
  }
  const seen = async () => (await readAgent(db, whose))!.seen
  const mark = toApiName('sample.mark')
  const confirmed = toApiName('sample.confirmed')

  // The setup wrote its attachments past every history; from here on it is whole.
  await detachTool(db, { ...whose, toolId: 'sample.echo' })
  const first = await nextRun(setup, asked)
  expect(first.system).toContain('You are a test.')
  expect(first.tools).toEqual(expect.arrayContaining([mark, confirmed]))

  await saveDraft(db, {
    ...whose,
    seen: await seen(),
    change: { instructions: 'You are another test.', model: 'deep', toolsDeny: ['sample.confirmed'] },
  })
  await detachInDraft(db, { ...whose, toolId: 'sample.mark' })
  expect(await nextRun(setup, asked)).toEqual(first)

  expect(await publishDraft(db, { ...whose, seen: await seen(), note: 'another' })).toMatchObject({ ok: true })
  const second = await nextRun(setup, asked)
  expect(second.system).toContain('You are another test.')
  expect(second.model).not.toBe(first.model)
  expect(second.tools).not.toContain(mark)
  expect(second.tools).not.toContain(confirmed)

  // At once, as the iofold document has it: a version of its own.
  await attachTool(db, { ...whose, toolId: 'sample.mark' })
  expect((await nextRun(setup, asked)).tools).toContain(mark)

  expect(await rollBack(db, { ...whose, seen: await seen(), to: 3, note: '' })).toMatchObject({ ok: true })
  expect(await nextRun(setup, asked)).toEqual(first)
})

test('a run that is queued keeps the instructions that it was queued with, and not the right that was taken', async () => {
  const { db } = database
  const asked: string[] = []
  const setup = await setUpRuns(database, (request) => {
    asked.push(JSON.stringify(request.system))
    return asked.length === 1
      ? { content: [{ tool: toApiName('sample.mark'), input: { text: 'a' } }] }
      : { content: [{ text: 'Done.' }] }
  })
  const whose = {
    workspaceId: setup.workspace.workspaceId,
    agentId: setup.workspace.agentId,
    actor: { kind: 'member', id: setup.workspace.members.admin } as const,
    validate: () => [],
  }
  const { runId } = await setup.say('go')
  const seen = async () => (await readAgent(db, whose))!.seen
  await saveDraft(db, {
    ...whose,
    seen: await seen(),
    change: { instructions: 'You are another test.', toolsDeny: ['sample.mark'] },
  })
  await publishDraft(db, { ...whose, seen: await seen(), note: '' })
  await setup.start()
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded' })
  expect(asked[0]).toContain('You are a test.')
  expect(setup.effects()).toEqual([])
  const [call] = await db.prisma.toolCall.findMany({ where: { runId } })
  expect(call).toMatchObject({ toolName: 'sample.mark', decision: 'deny' })
})
