import { createConversationNotes, type Database } from '@quartermaster/db'
import { z } from 'zod'

/** A message that shows work in progress, for whoever has to take it away. */
export interface ProgressNote {
  chatId: number
  messageId: number
  step: number
}

export interface ProgressNotes {
  add(conversationId: string, note: ProgressNote): Promise<void>
  /** Those of this step and of earlier ones (null: all of them); they are noted no more. */
  take(conversationId: string, step: number | null): Promise<ProgressNote[]>
}

const name = 'telegram.progress'
const shape = z.array(z.object({ chatId: z.number(), messageId: z.number(), step: z.number() })).catch([])
/** More than this are never there at once; older ones were taken away or never will be. */
const most = 10

export function createProgressNotes(db: Database): ProgressNotes {
  const notes = createConversationNotes(db)
  const read = async (conversationId: string) => shape.parse((await notes.read(conversationId, name)) ?? [])
  return {
    async add(conversationId, { chatId, messageId, step }) {
      const kept = [...(await read(conversationId)), { chatId, messageId, step }].slice(-most)
      await notes.write(conversationId, name, kept)
    },
    async take(conversationId, step) {
      const all = await read(conversationId)
      const taken = all.filter((note) => step === null || note.step <= step)
      if (!taken.length) return []
      const rest = all.filter((note) => !taken.includes(note))
      await notes.write(conversationId, name, rest.length ? rest : null)
      return taken
    },
  }
}
