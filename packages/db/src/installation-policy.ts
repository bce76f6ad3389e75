// What whoever runs the installation fixed for all of its workspaces, in the environment of the bot. The bot acts on
// its own settings; this fact is there so that the console can show them.
import type { Queryable } from './client.ts'

const fact = 'installation_policy'

/** Settings by the name of their variable. Writes only where they are others than before, and says whether it did. */
export async function saveInstallationPolicy(
  db: { pool: Queryable },
  settings: Readonly<Record<string, string>>,
): Promise<boolean> {
  const { rowCount } = await db.pool.query(
    `INSERT INTO instance_facts (key, value) VALUES ($1, $2::jsonb)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = clock_timestamp()
     WHERE instance_facts.value IS DISTINCT FROM excluded.value`,
    [fact, JSON.stringify(settings)],
  )
  return rowCount === 1
}

export async function readInstallationPolicy(db: {
  pool: Queryable
}): Promise<{ settings: Record<string, string>; updatedAt: Date } | null> {
  const { rows } = await db.pool.query('SELECT value, updated_at FROM instance_facts WHERE key = $1', [fact])
  return rows[0] ? { settings: rows[0].value, updatedAt: rows[0].updated_at } : null
}
