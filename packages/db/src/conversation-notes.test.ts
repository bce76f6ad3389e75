import { expect, test } from 'vitest'
import { createConversationNotes } from './conversation-notes.ts'
import { limits } from './limits.ts'
import { createTestWorkspace, race, say, useTestDatabase } from './testing.ts'

const database = useTestDatabase()

async function setUp() {
  const { db } = database
  const { conversationId } = await say(db, await createTestWorkspace(db))
  return { db, conversationId, notes: createConversationNotes(db) }
}

test('a note is read back as it was written, over what was there, and only in its conversation', async () => {
  const { notes, conversationId } = await setUp()
  const other = await setUp()
  expect(await notes.read(conversationId, 'shell')).toBeNull()
  await notes.write(conversationId, 'shell', { folder: 'src', lines: [1, 2] })
  await notes.write(conversationId, 'shell', { folder: 'docs' })
  expect(await notes.read(conversationId, 'shell')).toEqual({ folder: 'docs' })
  expect(await notes.read(conversationId, 'other')).toBeNull()
  expect(await other.notes.read(other.conversationId, 'shell')).toBeNull()
  await notes.write(conversationId, 'shell', null)
  expect(await notes.read(conversationId, 'shell')).toBeNull()
})

test('what is too large, has no conversation, or is one too many is refused', async () => {
  const { notes, conversationId } = await setUp()
  await expect(notes.write(conversationId, 'a', 'x'.repeat(limits.noteBytes))).rejects.toThrow('at most')
  await expect(notes.write(conversationId, 'a'.repeat(limits.noteNameLength + 1), 1)).rejects.toThrow('at most')
  await expect(notes.write('cnv_none', 'a', 1)).rejects.toThrow('gone')
  const written = await race(limits.notes + 5, (index) =>
    notes.write(conversationId, `note ${index}`, index).then(
      () => true,
      () => false,
    ),
  )
  expect(written.filter(Boolean)).toHaveLength(limits.notes)
})

test('characters that PostgreSQL cannot hold do not lose a note', async () => {
  const { notes, conversationId } = await setUp()
  await notes.write(conversationId, 'odd\0name', { path: 'a\0b' })
  expect(await notes.read(conversationId, 'odd\0name')).toEqual({ path: 'a\uFFFDb' })
})
