import {
  type CheckEdit,
  type Database,
  editMessage,
  findAdmitted,
  type MasterKeys,
  saveRunFeedback,
} from '@quartermaster/db'
import type { ToolRegistry } from '@quartermaster/tools'
import type { Log } from '../log.ts'
import type { ComposeCaller } from '../tools/compose-caller.ts'
import type { ChatServices } from './chat-services.ts'
import { runCommand } from './commands/run-command.ts'
import { messageContent } from './message-content.ts'
import { stopConversation } from './stop-conversation.ts'
import { takeAnswer } from './take-answer.ts'
import { takeBack } from './take-back.ts'
import { takeMessage } from './take-message.ts'

/** What is needed behind the services that the channels see. */
export interface ChatParts {
  db: Database
  log: Log
  keys: MasterKeys
  consoleUrl: string | null
  /** The tools as they are described; nothing is executed here. */
  registry: ToolRegistry
  composeCaller: ComposeCaller
  checkEdit: CheckEdit
}

export function createChatServices(parts: ChatParts): ChatServices {
  const { db, log, keys, consoleUrl } = parts
  return {
    db,
    log,
    keys,
    consoleUrl,
    takeMessage: (message) => takeMessage(parts, message),
    runCommand: (command) => runCommand(parts, command),
    takeAnswer: (answer) => takeAnswer(parts, answer),
    stop: (where) => stopConversation(db, where),
    editMessage: ({ text, references, ...said }) =>
      editMessage(db, { ...said, content: messageContent(text, references) }),
    deleteMessage: (message) => takeBack(db, message),
    async takeFeedback({ channelId, runId, person, good }) {
      const who = await findAdmitted(db, { channelId, person })
      return who !== null && (await saveRunFeedback(db, { runId, memberId: who.memberId, good }))
    },
  }
}
