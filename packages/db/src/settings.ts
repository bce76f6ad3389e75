// A workspace's own choices. A key is here when something acts on it, and not before.
import { z } from 'zod'
import { type Actor, recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { Problem } from './problem.ts'

/** What each setting may hold. The messages are for the person who typed it. */
export const settingsShape = z.object({
  /** The zone of the workspace's calendar: what a day is in filters and expiries, and of dates for whom no zone is known. */
  timezone: z
    .string()
    .refine(isTimeZone, 'Expected the name of a time zone, for example Europe/Berlin or America/New_York.'),
  /** How long a question stays open when neither its tool nor its rule says. */
  questionExpiryHours: z
    .number('Expected a number of hours.')
    .int('Expected whole hours.')
    .min(1, 'Expected at least 1 hour.')
    .max(720, 'Expected at most 720 hours (30 days).'),
})

export type Settings = z.infer<typeof settingsShape>

export const defaultSettings: Settings = { timezone: 'UTC', questionExpiryHours: 24 }

export async function readSettings(db: { pool: Queryable }, workspaceId: string): Promise<Settings> {
  return await read(db.pool, workspaceId)
}

async function read(tx: Queryable, workspaceId: string): Promise<Settings> {
  const { rows } = await tx.query('SELECT key, value FROM settings WHERE workspace_id = $1', [workspaceId])
  const stored = Object.fromEntries(rows.map((row) => [row.key, row.value]))
  const parsed = settingsShape.partial().safeParse(stored)
  if (parsed.success) return { ...defaultSettings, ...parsed.data }
  // A value that today's rules refuse (written by another version) counts as not set; the rest still holds.
  const wrong = new Set(parsed.error.issues.map((issue) => issue.path[0]))
  const rest = Object.fromEntries(Object.entries(stored).filter(([key]) => !wrong.has(key)))
  return { ...defaultSettings, ...settingsShape.partial().parse(rest) }
}

/** Changes the settings that `patch` names. Throws a Problem when one of them cannot hold its value. */
export async function writeSettings(
  db: Database,
  workspaceId: string,
  patch: Partial<Settings>,
  actor: Actor,
): Promise<Settings> {
  const parsed = settingsShape.partial().strict().safeParse(patch)
  if (!parsed.success)
    throw new Problem(
      parsed.error.issues.map((issue) => `${issue.path.join('.') || 'settings'}: ${issue.message}`).join(' '),
      'Correct the value and save again.',
    )
  return inTransaction(db, async (tx) => {
    // The workspace's row puts two people who save at once in order, so that "before" in the log is true.
    await lockWorkspace(tx, workspaceId)
    const before = await read(tx, workspaceId)
    const after = { ...before, ...parsed.data }
    const changed = (Object.keys(after) as (keyof Settings)[]).filter((key) => after[key] !== before[key])
    if (!changed.length) return after
    for (const key of changed)
      await tx.query(
        `INSERT INTO settings (workspace_id, key, value) VALUES ($1, $2, $3)
         ON CONFLICT (workspace_id, key) DO UPDATE SET value = excluded.value, updated_at = now()`,
        [workspaceId, key, JSON.stringify(after[key])],
      )
    await recordAudit(tx, {
      workspaceId,
      actor,
      action: 'settings.change',
      subject: { kind: 'workspace', id: workspaceId },
      data: Object.fromEntries(changed.map((key) => [key, { before: before[key], after: after[key] }])),
    })
    return after
  })
}

export const workspaceNameShape = z
  .string()
  .trim()
  .min(1, 'Expected a name.')
  .max(80, 'Expected at most 80 characters.')
  .refine((name) => !/\p{Cc}/u.test(name), 'Expected no control characters.')

/** The name that people see; the slug, which is in addresses, stays. */
export async function renameWorkspace(db: Database, workspaceId: string, name: string, actor: Actor): Promise<string> {
  const parsed = workspaceNameShape.safeParse(name)
  if (!parsed.success)
    throw new Problem(`The workspace's name: ${parsed.error.issues[0]?.message}`, 'Correct the name and save again.')
  return inTransaction(db, async (tx) => {
    const before = await lockWorkspace(tx, workspaceId)
    if (before === parsed.data) return before
    await tx.query('UPDATE workspaces SET name = $2 WHERE id = $1', [workspaceId, parsed.data])
    await recordAudit(tx, {
      workspaceId,
      actor,
      action: 'workspace.rename',
      subject: { kind: 'workspace', id: workspaceId },
      data: { name: { before, after: parsed.data } },
    })
    return parsed.data
  })
}

async function lockWorkspace(tx: Queryable, workspaceId: string): Promise<string> {
  const { rows } = await tx.query('SELECT name FROM workspaces WHERE id = $1 FOR NO KEY UPDATE', [workspaceId])
  if (!rows[0]) throw new Problem('This workspace does not exist any more.', 'Reload the page.')
  return rows[0].name
}

/** Names only: an offset such as +02:00 knows nothing of summer time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false // RangeError: no such zone.
  }
}
