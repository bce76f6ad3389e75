import { type ChannelKind, type Database, findChatFile, readRunContext, sendCallFile } from '@quartermaster/db'
import type { ChatFiles } from '@quartermaster/tools'

/** The port: files go out as deliveries, through whatever channel the conversation has. */
export function createChatFiles(db: Database, fileBytesOf: (channelKind: ChannelKind) => number): ChatFiles {
  return {
    async send({ runId, toolCallId }, file) {
      // A child's files go where its first ancestor's people read, like its questions.
      const context = await readRunContext(db, runId)
      if (!context) return { ok: false, problem: 'The run that would send this is gone.' }
      const { conversationId, channelKind } = context.place
      const most = fileBytesOf(channelKind)
      const bytes = Buffer.byteLength(file.data, 'base64')
      if (bytes > most)
        return {
          ok: false,
          problem: `The file is too large for this chat: ${bytes} bytes, and ${most} are the most. Make it smaller or split it.`,
        }
      const sent = await sendCallFile(db, { conversationId, runId, toolUseId: toolCallId }, file)
      return sent ? { ok: true } : { ok: false, problem: 'The call that would send this does not run any more.' }
    },
    find: (conversationId, filename) => findChatFile(db, conversationId, filename),
  }
}
