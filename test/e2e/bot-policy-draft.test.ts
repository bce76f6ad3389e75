import { editPolicyDraft, publishPolicyDraft } from '@quartermaster/db'
import { useTestDatabase } from '@quartermaster/db/testing'
import { toApiName } from '@quartermaster/tools'
import { expect, test } from 'vitest'
import { setUpRuns } from './run-setup.ts'

const database = useTestDatabase()
const mark = (text: string) => [
  { content: [{ tool: toApiName('sample.mark'), input: { text } }] },
  { content: [{ text: 'Done.' }] },
]

test('a draft is nothing to a running bot; what is published counts from its next call on', async () => {
  const { db } = database
  const setup = await setUpRuns(database, [...mark('before'), ...mark('drafted'), ...mark('published')])
  const { workspaceId, members } = setup.workspace
  const change = { workspaceId, actor: { kind: 'member', id: members.admin } as const }
  const ask = async (text: string) => {
    const { runId } = await setup.say(text)
    await setup.ended(runId)
    const [call] = await db.prisma.toolCall.findMany({ where: { runId } })
    return [call?.status, call?.decision]
  }
  await setup.start()
  expect(await ask('before')).toEqual(['succeeded', 'allow'])

  const drafted = await editPolicyDraft(db, {
    ...change,
    expectedUpdatedAt: null,
    edit: (content) => ({ ...content, settings: { ...content.settings, deny: ['sample.mark'] } }),
  })
  if (!drafted.ok) throw new Error(drafted.reason)
  expect(await ask('drafted')).toEqual(['succeeded', 'allow'])

  expect(await publishPolicyDraft(db, { ...change, expectedUpdatedAt: drafted.updatedAt })).toMatchObject({ ok: true })
  expect(await ask('published')).toEqual(['refused', 'deny'])
  expect(setup.effects().map((line) => line.split(' ')[1])).toEqual(['before', 'drafted'])
}, 60_000)
