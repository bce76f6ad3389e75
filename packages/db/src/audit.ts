// Who did what. The database numbers the events of a workspace and chains them (trigger audit_events_chain): each
// event's hash covers the hash before it. An edit, a removal or an insertion breaks the chain at a row that can be
// named. Somebody who can rewrite every later row and the head as well leaves a chain that fits; whoever fears that
// keeps `head` of verifyAudit somewhere else from time to time.
import { createHash } from 'node:crypto'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { limits } from './limits.ts'
import { storableJson, storableText } from './storable.ts'

export interface Actor {
  kind: 'member' | 'agent' | 'system'
  /** The member's or agent's id; for the system, the part of it that acted. */
  id: string
}

export interface AuditEntry {
  workspaceId: string
  actor: Actor
  /** `noun.verb`, e.g. `secret.store`, `member.sign-in`. */
  action: string
  subject: { kind: string; id: string }
  /** Never a secret's value, a password or a token: this is kept for ever. */
  data?: Record<string, unknown>
}

/**
 * Appends an event. Call it as the last statement of the transaction that does what it describes: it holds the
 * workspace's chain until the commit. A transaction that writes to several workspaces goes through them in the order of
 * their ids, so that two of them never wait for each other.
 */
export async function recordAudit(tx: Queryable, entry: AuditEntry): Promise<void> {
  await tx.query(
    `INSERT INTO audit_events (workspace_id, actor_kind, actor_id, action, subject_kind, subject_id, data)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      entry.workspaceId,
      entry.actor.kind,
      storableText(entry.actor.id),
      entry.action,
      entry.subject.kind,
      storableText(entry.subject.id),
      storableJson(entry.data ?? {}),
    ],
  )
}

export type AuditVerdict =
  | { ok: true; events: number; head: string }
  /** `number` is the event where the chain breaks. */
  | { ok: false; number: number; problem: string }

/** The first page starts below every number there can be: one that was inserted as 0 or less is found as well. */
const smallestNumber = '-9223372036854775808'

interface ChainRow {
  number: string
  previous_hash: Buffer
  hash: Buffer
  text: string
}

interface VerifyAudit {
  /** Called after each page: how many of how many events were looked at so far. */
  onProgress?(checked: number, of: number): void
  /** Nobody waits for the verdict any more. */
  signal?: AbortSignal
}

/** Recomputes the whole chain, a page at a time, on one snapshot: events that are appended meanwhile do not matter. */
export function verifyAudit(db: Database, workspaceId: string, watch: VerifyAudit = {}): Promise<AuditVerdict> {
  return inTransaction(db, async (tx) => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const { rows: heads } = await tx.query('SELECT number FROM audit_heads WHERE workspace_id = $1', [workspaceId])
    let number = 0
    let hash: Buffer = Buffer.alloc(0)
    for (;;) {
      const { rows } = await tx.query<ChainRow>(
        `SELECT number, previous_hash, hash, audit_event_text(e) AS text FROM audit_events e
         WHERE workspace_id = $1 AND number > $2 ORDER BY number LIMIT $3`,
        [workspaceId, number || smallestNumber, limits.auditPageRows],
      )
      for (const row of rows) {
        const problem = findBreak(row, number, hash)
        if (problem) return { ok: false, ...problem }
        number++
        hash = row.hash
      }
      watch.onProgress?.(number, Math.max(number, Number(heads[0]?.number ?? 0)))
      watch.signal?.throwIfAborted()
      if (rows.length < limits.auditPageRows) break
    }
    const { rows } = await tx.query<{ number: string; hash: Buffer }>(
      'SELECT number, hash FROM audit_heads WHERE workspace_id = $1',
      [workspaceId],
    )
    const head = { number: Number(rows[0]?.number ?? 0), hash: rows[0]?.hash ?? Buffer.alloc(0) }
    if (head.number > number)
      return {
        ok: false,
        number: number + 1,
        problem: `Events ${number + 1} to ${head.number} were removed from the end: the chain's head knows ${head.number} events and ${number} are there.`,
      }
    if (head.number < number || !head.hash.equals(hash))
      return {
        ok: false,
        number: Math.min(head.number + 1, number),
        problem: `The chain's head does not know event ${Math.min(head.number + 1, number)}: it was inserted or changed past the trigger, or the head was set back.`,
      }
    return { ok: true, events: number, head: hash.toString('hex') }
  })
}

function findBreak(row: ChainRow, before: number, hash: Buffer): { number: number; problem: string } | null {
  const number = Number(row.number)
  if (number < 1) return { number, problem: `Event ${number} was inserted past the trigger: numbers start at 1.` }
  if (number !== before + 1) {
    const missing = number === before + 2 ? `Event ${before + 1} was` : `Events ${before + 1} to ${number - 1} were`
    return { number: before + 1, problem: `${missing} removed: event ${number} follows event ${before}.` }
  }
  const expected = createHash('sha256').update(row.previous_hash).update(row.text, 'utf8').digest()
  if (!expected.equals(row.hash))
    return { number, problem: `Event ${number} was edited: its hash is not that of its content.` }
  if (!row.previous_hash.equals(hash))
    return {
      number,
      problem:
        before === 0
          ? 'Event 1 does not start the chain: it was replaced, or what stood before it was removed.'
          : `Event ${number} does not follow event ${before}: event ${before} was rewritten with a hash of its own, or event ${number} was put in its place.`,
    }
  return null
}
