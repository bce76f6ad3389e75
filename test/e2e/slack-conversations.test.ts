import { useTestDatabase } from '@quartermaster/db/testing'
import { expect, test } from 'vitest'
import { eventsDone, setUpSlack, until } from './slack-setup.ts'

const database = useTestDatabase()

test('every direct message begins a thread, a reply in it goes on, and each is answered there', async () => {
  const { slack, connect, answer, runs, channel } = await setUpSlack(database)
  const ada = slack.addUser('Ada Byron')
  await connect()
  const first = slack.say(ada, slack.dm(ada), 'hello')
  expect(await answer(slack.dm(ada), first.ts)).toContain('You said: hello')
  const second = slack.say(ada, slack.dm(ada), 'something else')
  expect(await answer(slack.dm(ada), second.ts)).toContain('You said: something else')
  slack.reply(ada, first, 'and more')
  expect(await answer(slack.dm(ada), first.ts, 2)).toContain('You said: and more')
  expect((await runs()).map(({ key }) => key)).toEqual([
    `${slack.dm(ada).id}:${first.ts}`,
    `${slack.dm(ada).id}:${second.ts}`,
    `${slack.dm(ada).id}:${first.ts}`,
  ])
  expect(await channel()).toMatchObject({ status: 'connected', statusDetail: '' })
  const member = await database.db.prisma.identity.findFirstOrThrow({
    where: { kind: 'slack', externalId: `${slack.team.id}:${ada.id}` },
    include: { member: true },
  })
  expect(member.member).toMatchObject({ name: 'Ada', role: 'member' })
})
