// What the page of a playground session shows, as plain data: the server makes it from the database, the page draws it,
// and after a reload it is the same.

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
}

export interface CardView {
  id: string
  kind: 'confirmation' | 'choice' | 'multi_choice' | 'text' | 'form' | 'plan' | 'budget'
  title: string
  body: string | null
  tool: string | null
  facts: { label: string; value: string }[]
  diff: { path: string; before: string; after: string } | null
  options: string[]
  tabs: FormTabView[]
  /** The exact arguments, and their digest, which the answer binds. */
  arguments: unknown
  digest: string | null
  why: string[]
  whoMayAnswer: string
  mayAnswer: boolean
  hasAnswered: boolean
  /** "Approve for this thread": how long and how often; null where it is not offered. */
  lease: string | null
  mayEdit: boolean
  /** "I would rather not say", where the question is none to approve. */
  mayDecline: boolean
  /** How many have approved of how many that must. */
  approvals: { given: number; required: number }
  expiresAt: string
  /** The card lost its buttons: what was decided, by whom, when. */
  closed: ClosedView | null
}

export interface FormTabView {
  title: string
  question: string
  options: string[]
  multiple: boolean
}

export interface ClosedView {
  status: 'answered' | 'expired' | 'withdrawn'
  verdict: 'approve' | 'deny' | null
  /** "Approved by Mika Member", "Nobody answered in time". */
  sentence: string
  at: string
}

export const isUnfinished = (run: RunView | null) =>
  run !== null && (run.status === 'queued' || run.status === 'running' || run.status === 'waiting')
