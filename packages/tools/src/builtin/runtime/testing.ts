// For tests of the tools that run programs: a work folder and notes, as the bot has them.
import type { ConversationNotes } from '../../ports/conversation-notes.ts'
import type { WorkFolders } from '../../ports/work-folders.ts'
import { makeWorkFolder } from '../../sandbox/testing/work-folder.ts'

export function makeWorkplace() {
  const folder = makeWorkFolder()
  const kept = new Map<string, unknown>()
  const folders: WorkFolders = { folderOf: async () => folder.path }
  const notes: ConversationNotes = {
    read: async (conversationId, name) => kept.get(`${conversationId} ${name}`) ?? null,
    write: async (conversationId, name, value) => {
      kept.set(`${conversationId} ${name}`, value)
    },
  }
  return { ...folder, folders, notes, kept }
}
