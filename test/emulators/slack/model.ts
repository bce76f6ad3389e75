/** JSON of Slack's that the emulator passes on or looks into with care. */
export type Json = Record<string, unknown>
export type Block = Json & { type: string; block_id?: string }

export interface Team {
  id: string
  name: string
  domain: string
  /** The bot of the app in this team; there is none before the app is installed. */
  bot: Bot | null
}

export interface Bot {
  userId: string
  botId: string
  token: string
  scopes: string[]
}

export interface User {
  id: string
  teamId: string
  name: string
  email: string | null
  /** A guest of the workspace, of one channel only when `single`. */
  guest: 'multi' | 'single' | null
  isBot: boolean
  deactivated: boolean
  timezone: string
}

export type ChannelKind = 'channel' | 'group' | 'im' | 'mpim'

export interface Channel {
  id: string
  teamId: string
  kind: ChannelKind
  name: string
  members: Set<string>
  archived: boolean
  /** Other teams that share it through Slack Connect. */
  sharedWith: Set<string>
  /** The person of a direct message. */
  userId: string | null
  /** In the order of their `ts`. */
  messages: Message[]
}

export interface Message {
  channel: string
  ts: string
  user: string
  text: string
  subtype?: string
  thread_ts?: string
  blocks?: Block[]
  attachments?: Json[]
  files?: SlackFile[]
  metadata?: { event_type: string; event_payload: Json }
  edited?: { user: string; ts: string }
  bot_id?: string
  app_id?: string
  /** As the app asked to be shown. */
  username?: string
  client_msg_id?: string
  reactions?: { name: string; users: string[] }[]
  stream?: Stream
  /** Only this person sees it. */
  ephemeralTo?: string
}

/** A message that is being written: what has come so far, in order. */
export interface Stream {
  state: 'in_progress' | 'completed' | 'errored'
  lastAt: number
  mode: 'timeline' | 'plan'
  planTitle: string | null
  parts: StreamPart[]
  /** What `chat.stopStream` put at the end. */
  finalBlocks: Block[]
}
export type StreamPart = { text: string } | { task: Task } | { blocks: Block[] }
export interface Task {
  id: string
  title: string
  status: string
  details?: string
  output?: string
  sources?: Json[]
}

export interface SlackFile {
  id: string
  teamId: string
  user: string
  name: string
  title: string
  mimetype: string
  content: Buffer
  createdAt: number
  voice: { transcript: string } | null
  /** Where it can be seen. */
  shares: { channel: string; ts: string; thread_ts?: string }[]
}

/** A view that a person has open, or their Home tab. */
export interface OpenView {
  id: string
  teamId: string
  userId: string
  /** As the app gave it. */
  view: Json & { type: string; blocks: Block[] }
  hash: string
  rootId: string
  previousId: string | null
  /** What the person has chosen so far, by block and action. */
  values: Record<string, Record<string, Json>>
  /** What the app found wrong with what was submitted, by block. */
  errors: Record<string, string>
}

export type SessionStatus = 'active' | 'processing' | 'suspended' | 'closed'

export interface Session {
  status: SessionStatus
  title: string | null
  setAt: number
  /** What `assistant.threads.setStatus` shows ("is thinking…"). */
  words: string
}
