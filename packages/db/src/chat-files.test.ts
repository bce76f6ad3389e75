import { expect, test } from 'vitest'
import { attachedFileLine, attachedFileName, findChatFile, keepChatFile } from './chat-files.ts'
import { receiveEvent } from './inbox.ts'
import { createTestWorkspace, race, say, useTestDatabase } from './testing.ts'

const database = useTestDatabase()
const base64 = (text: string) => Buffer.from(text).toString('base64')
const image = (text: string) => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: base64(text) },
})

async function sayAll(...contents: unknown[][]) {
  const { db } = database
  const workspace = await createTestWorkspace(db)
  const { conversationId } = await say(db, workspace, { conversationKey: 'thread' })
  for (const [index, content] of contents.entries())
    await receiveEvent(db, {
      channelId: workspace.channelId,
      eventId: `event ${index}`,
      place: 'here',
      conversationKey: 'thread',
      memberId: workspace.members.member,
      content,
    })
  return { db, conversationId }
}

test('a picture and a text that somebody sent are found by their names, the newest of a name', async () => {
  const { db, conversationId } = await sayAll(
    [{ type: 'text', text: attachedFileLine('a.png') }, image('old')],
    [
      { type: 'text', text: attachedFileLine('a.png') },
      image('new'),
      { type: 'text', text: `${attachedFileLine('notes.md')}\nfirst\nsecond` },
      { type: 'text', text: 'What is this?' },
    ],
  )
  expect(await findChatFile(db, conversationId, 'a.png')).toEqual({
    filename: 'a.png',
    mimeType: 'image/png',
    data: base64('new'),
  })
  expect(await findChatFile(db, conversationId, 'notes.md')).toMatchObject({
    mimeType: 'text/plain',
    data: base64('first\nsecond'),
  })
  expect(await findChatFile(db, conversationId, 'b.png')).toBeNull()
  expect(await findChatFile(db, (await sayAll()).conversationId, 'a.png')).toBeNull()
})

test('what no content block can hold is kept beside the message, once', async () => {
  const { db, conversationId } = await sayAll()
  const recording = {
    conversationId,
    eventId: 'e1',
    name: 'voice.ogg',
    mimeType: 'audio/ogg',
    content: Buffer.from('OggS'),
  }
  await race(5, () => keepChatFile(db, recording))
  await keepChatFile(db, { ...recording, conversationId: 'cnv_none' })
  expect(await db.prisma.chatFile.count({ where: { name: 'voice.ogg' } })).toBe(1)
  expect(await findChatFile(db, conversationId, 'voice.ogg')).toMatchObject({
    mimeType: 'audio/ogg',
    data: base64('OggS'),
  })
})

test('only a whole first line names a file', () => {
  expect(attachedFileName(attachedFileLine('a [1].txt'))).toBe('a [1].txt')
  expect(attachedFileName('[Attached file: a.txt] and more')).toBeNull()
  expect(attachedFileName('see\n[Attached file: a.txt]')).toBeNull()
})
