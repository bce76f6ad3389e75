// What the page of a playground session shows, as plain data: the server makes it from the database, the page draws it,
// and after a reload it is the same.
import type { CardView } from '../question-card/view.ts'

export interface SessionView {
  id: string
  title: string
  agent: { id: string; name: string; archived: boolean }
  entries: Entry[]
  /** The newest run; null before the first message. */
  run: RunView | null
  /** There is more before the first entry: the position to read it from. */
  before: string | null
}

export interface RunView {
  id: string
  status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'stopped'
  stopRequested: boolean
  error: string | null
}

export type Entry =
  | { kind: 'said'; key: string; by: string; text: string; files: FileView[]; at: string }
  | { kind: 'answer'; key: string; runId: string | null; text: string; at: string }
  | { kind: 'activity'; key: string; call: CallView }
  | { kind: 'question'; key: string; card: CardView }
  | { kind: 'notice'; key: string; text: string; at: string }
  | { kind: 'file'; key: string; file: SentFileView; at: string }

export interface FileView {
  name: string
  /** A data: address of an image; null for what is shown by its name alone. */
  image: string | null
}

/** A file that the agent sent. */
export interface SentFileView {
  name: string
  /** Where it is read from; the server decides whether it is shown or downloaded. */
  address: string
  isImage: boolean
  caption: string | null
}

export interface CallView {
  /** Where its record is; null while there is none, and for what a fork began with. */
  trace: { runId: string; callId: string } | null
  toolUseId: string
  tool: string
  /** In plain words. */
  title: string
  state: 'running' | 'waiting' | 'done' | 'failed' | 'refused'
  /** One sentence where the state alone does not say it: refused, denied, interrupted. */
  note: string | null
  arguments: string
  output: string | null
  durationMs: number | null
  /** What the policy said, and the reasons that led there; null while it has not. */
  decision: 'allow' | 'ask' | 'deny' | null
  why: string[]
}

export const isUnfinished = (run: RunView | null) =>
  run !== null && (run.status === 'queued' || run.status === 'running' || run.status === 'waiting')
