// What is being done right now, for whoever looks: text as it is written, tool calls as they go. Nothing of it is
// stored and nothing rests on it. Everything that counts is a message, a run event, a question or a delivery; a viewer
// that missed a notice reads those.
import type { Queryable } from './client.ts'

/** NOTIFY channel; the payload is a LiveNotice as JSON. */
export const liveChannel = 'qm_live'

export type LiveEvent =
  /** Text to add to what is shown of the step. `from` is how many characters were shown before it. */
  | { kind: 'text'; step: number; from: number; text: string }
  /** The answer was begun anew: of the step's text only the first `keep` characters still hold. */
  | { kind: 'restart'; step: number; keep: number }
  | { kind: 'activity'; toolUseId: string; tool: string; title: string; state: ActivityState; line?: string }
  /** A sentence about the run itself: "The model is busy, trying again in 4 s". */
  | { kind: 'status'; sentence: string }
  /** Nothing more comes for this step; its message is in the transcript. */
  | { kind: 'step-end'; step: number }

export type ActivityState = 'running' | 'waiting' | 'done' | 'failed'

export interface LiveNotice {
  workspaceId: string
  conversationId: string
  runId: string
  event: LiveEvent
}

/** PostgreSQL takes less than 8,000 bytes a notice; the rest of the notice and JSON's escapes need room as well. */
const textBytes = 3_000

/** Announces in one statement. A long text goes out as several notices. */
export async function announceLive(db: { pool: Queryable }, notices: readonly LiveNotice[]): Promise<void> {
  const payloads = notices.flatMap(split).map((notice) => JSON.stringify(notice))
  if (payloads.length)
    await db.pool.query(`SELECT pg_notify('${liveChannel}', p) FROM unnest($1::text[]) p`, [payloads])
}

function split(notice: LiveNotice): LiveNotice[] {
  const { event } = notice
  if (event.kind !== 'text') return [notice]
  const pieces: LiveNotice[] = []
  let from = event.from
  let piece = ''
  let bytes = 0
  const flush = () => {
    if (piece) pieces.push({ ...notice, event: { ...event, from, text: piece } })
    from += piece.length
    piece = ''
    bytes = 0
  }
  for (const character of event.text) {
    const size = Buffer.byteLength(JSON.stringify(character)) - 2
    if (bytes + size > textBytes) flush()
    piece += character
    bytes += size
  }
  flush()
  return pieces
}
