// What a chat platform's channel (Slack, Telegram) calls when people write, click or command. Everything that does not
// depend on the platform is behind this: who somebody is, whether they may talk, what a command does, whether an answer
// counts. A channel parses what its platform sent, calls one of these, and renders what comes back.
import type { Database, MasterKeys, QuestionCard } from '@quartermaster/db'
import type { Log } from '../log.ts'

export interface ChatServices {
  db: Database
  log: Log
  keys: MasterKeys
  /** Where the console is reached, for links out of the chat; null where nobody said. No slash at its end. */
  consoleUrl: string | null
  /** Stores a message, or runs the command that it is. After it has resolved, the platform may be acknowledged. */
  takeMessage(message: ChatMessage): Promise<TakenMessage>
  runCommand(command: ChatCommand): Promise<CommandReply>
  takeAnswer(answer: ChatAnswer): Promise<TakenAnswer>
  /** Stops the unfinished run of a conversation. False: there is none, or they may not. */
  stop(where: { channelId: string; conversationKey: string; person: ChatPerson }): Promise<boolean>
  /** Somebody changed what they had said. What the model has not seen yet is changed; what it has seen stays said. */
  editMessage(edit: {
    channelId: string
    conversationKey: string
    messageId: string
    text: string
    references: readonly ChatReference[]
  }): Promise<boolean>
  /** Somebody took back what they had said: its words go from the transcript, seen or not. */
  deleteMessage(message: { channelId: string; conversationKey: string; messageId: string }): Promise<boolean>
  /** Thumbs up or down under an answer; the last one of each member counts. False: there is no such run, or no member. */
  takeFeedback(feedback: { channelId: string; runId: string; person: ChatPerson; good: boolean }): Promise<boolean>
}

/** As the platform vouches for them, never as a payload claims. */
export interface ChatPerson {
  /** `team:user` for Slack, the user id for Telegram. */
  externalId: string
  name: string
  /** The name by which others find them (`@ada` without its `@`), where the platform has such names: for allow-lists. */
  username?: string
  /** Somebody of another Slack workspace, or a guest: they are never admitted without a code. */
  isGuest?: boolean
}

/** Something on the platform that is fetched only when a run reads the message: nothing slow before the acknowledgement. */
export type ChatReference =
  /** `id` is all that Channel.fetch needs to find it. */
  | { kind: 'file'; id: string; name: string; mimeType: string; size: number | null }
  /** What was said in this thread before, for a conversation that begins in the middle of one. */
  | { kind: 'thread'; id: string; before: string }

export interface ChatMessage {
  channelId: string
  eventId: string
  /** Where bindings look: a Slack channel, a Telegram chat. */
  place: string
  conversationKey: string
  /** Only they and the bot are here: then anybody may choose the agent. */
  isDirect: boolean
  person: ChatPerson
  /** Markdown, with mentions as readable names and without the mention of the bot itself. */
  text: string
  references: readonly ChatReference[]
  /** The platform's id of the message, for edits and deletions. */
  messageId: string
  /** Commands are written as `/status` here (Telegram); Slack's come through runCommand. `!tool {json}` works on both. */
  slashCommands: boolean
}

export type TakenMessage =
  | { outcome: 'received'; runId: string; conversationId: string; runCreated: boolean }
  /** It answered a question that waited for a text. */
  | { outcome: 'answered'; questionId: string }
  | { outcome: 'duplicate' }
  | { outcome: 'command'; reply: CommandReply }
  /** Nothing was stored of what they said. `sentence` is for them alone; null: they were told before. */
  | { outcome: 'refused'; sentence: string | null }

export interface ChatCommand {
  channelId: string
  place: string
  /** Null where a command is given outside of any conversation (Slack's slash commands know no thread). */
  conversationKey: string | null
  isDirect: boolean
  person: ChatPerson
  /** `agent`, `tools`, `status`, `stop`, `new`, `help`, `link`; anything else is answered with the help. */
  name: string
  argument: string
}

export interface CommandReply {
  markdown: string
  /** To choose from, e.g. the agents: `runCommand({ name, argument: value })` is what a click means. */
  choices?: { command: string; options: { label: string; value: string; chosen?: boolean }[] }
}

export interface ChatAnswer {
  channelId: string
  questionId: string
  person: ChatPerson
  verdict: 'approve' | 'deny'
  /** "Approve for this thread". */
  lease?: boolean
  value?: unknown
  reason?: string
  editedArguments?: unknown
  argumentsDigest?: string
}

export interface TakenAnswer {
  ok: boolean
  /** What to tell the person alone: why it does not count, or what it led to. */
  sentence: string
  /** Field problems of an edited form. */
  problems?: readonly string[]
  /** As it stands now, as this person meets it; null where there is no such question. */
  card: QuestionCard | null
}
