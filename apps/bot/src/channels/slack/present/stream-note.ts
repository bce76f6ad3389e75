// The messages in which a conversation's work is being shown, noted in the database: whoever sends the answer, on
// whatever machine, turns such a message into it instead of posting a second one. docs/decisions/0006 says why.
//
//   noted, ts null       somebody is about to start a stream, and may have died before Slack told its ts
//   noted                it is written to, by the process that works on the run
//   taken                a delivery has it: nobody else writes to it any more
//   no note              it is finished
import { type Database, storableJson } from '@quartermaster/db'
import { z } from 'zod'

const prefix = 'slack.stream.'

export interface WorkTask {
  title: string
  state: 'running' | 'waiting' | 'done' | 'failed'
}

const shape = z.object({
  key: z.string(),
  runId: z.string(),
  /** The step whose text it shows; null while it shows only what tools do. */
  step: z.number().nullable(),
  ts: z.string().nullable(),
  /** When it was begun, in milliseconds. */
  since: z.number(),
  tasks: z.array(z.object({ title: z.string(), state: z.enum(['running', 'waiting', 'done', 'failed']) })),
})

export type StreamNote = z.infer<typeof shape>

/** False: a delivery has taken the message, and nothing was written. */
export async function noteStream(db: Database, conversationId: string, note: StreamNote): Promise<boolean> {
  const { rowCount } = await db.pool.query(
    `INSERT INTO conversation_notes (conversation_id, name, workspace_id, value)
     SELECT id, $2, workspace_id, $3::jsonb FROM conversations WHERE id = $1 AND deleted_at IS NULL
     ON CONFLICT (conversation_id, name) DO UPDATE SET value = excluded.value, updated_at = clock_timestamp()
     WHERE conversation_notes.value ->> 'takenBy' IS NULL`,
    [conversationId, prefix + note.key, storableJson(note)],
  )
  return rowCount === 1
}

/** Whether the message is still the presenter's to write to. */
export async function isStreamNoted(db: Database, conversationId: string, key: string): Promise<boolean> {
  const { rowCount } = await db.pool.query(
    `SELECT 1 FROM conversation_notes WHERE conversation_id = $1 AND name = $2 AND value ->> 'takenBy' IS NULL`,
    [conversationId, prefix + key],
  )
  return rowCount === 1
}

/** What a process that was lost showed of this very step (or of tools alone) and did not finish; the newest one. */
export async function findLeftStream(
  db: Database,
  conversationId: string,
  { runId, step }: { runId: string; step: number | null },
): Promise<StreamNote | null> {
  const { rows } = await db.pool.query(
    `SELECT value FROM conversation_notes WHERE conversation_id = $1 AND starts_with(name, $2)
       AND value ->> 'takenBy' IS NULL AND value ->> 'runId' = $3 AND value ->> 'ts' IS NOT NULL
       AND (value ->> 'step' IS NULL OR (value ->> 'step')::int = $4) ORDER BY updated_at DESC LIMIT 1`,
    [conversationId, prefix, runId, step],
  )
  return parse(rows[0]?.value)
}

/**
 * For a delivery: from now on these messages are its own, at every attempt. Those of the run that show the step's text
 * or only tools; without a step, those that show only tools; without a run, whatever nobody has finished.
 */
export async function takeStreams(
  db: Database,
  delivery: { conversationId: string; deliveryId: string; runId: string | null; step: number | null },
): Promise<StreamNote[]> {
  const { rows } = await db.pool.query(
    `UPDATE conversation_notes SET value = value || jsonb_build_object('takenBy', $3::text), updated_at = clock_timestamp()
     WHERE conversation_id = $1 AND starts_with(name, $2) AND coalesce(value ->> 'takenBy', $3) = $3
       AND ($4::text IS NULL OR value ->> 'runId' = $4)
       AND (value ->> 'step' IS NULL OR (value ->> 'step')::int = $5)
     RETURNING value`,
    [delivery.conversationId, prefix, delivery.deliveryId, delivery.runId, delivery.step],
  )
  const notes = rows.map(({ value }) => parse(value)).filter((note) => note !== null)
  // The one with the text first; then the newest.
  return notes.sort((a, b) => Number(b.step !== null) - Number(a.step !== null) || b.since - a.since)
}

/** A delivery has found the message of a note that did not name it. */
export async function noteFound(db: Database, conversationId: string, key: string, ts: string): Promise<void> {
  await db.pool.query(
    `UPDATE conversation_notes SET value = value || jsonb_build_object('ts', $3::text) WHERE conversation_id = $1 AND name = $2`,
    [conversationId, prefix + key, ts],
  )
}

/** These messages are finished; what lost processes left behind goes with them after a day. */
export async function dropStreamNotes(db: Database, conversationId: string, keys: readonly string[]): Promise<void> {
  await db.pool.query(
    `DELETE FROM conversation_notes WHERE conversation_id = $1 AND (name = ANY($2)
       OR (starts_with(name, $3) AND updated_at < now() - interval '1 day'))`,
    [conversationId, keys.map((key) => prefix + key), prefix],
  )
}

function parse(value: unknown): StreamNote | null {
  const parsed = shape.safeParse(value)
  return parsed.success ? parsed.data : null
}
