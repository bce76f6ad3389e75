import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, seedFirstData } from '@quartermaster/db'

export interface FirstOwner {
  email: string
  /** Null when the person chose it themselves (QM_OWNER_PASSWORD). */
  password: string | null
  /** Call when it has been shown: it is not kept. */
  shown(): void
}

/**
 * Makes the first workspace and its owner where there is none. The generated password is in a file (mode 0600) from
 * before the owner exists until it has been printed, so a start that is killed in between does not lock people out.
 */
export async function ensureFirstOwner(
  db: Database,
  options: { dataDir: string; email: string; password: string | undefined },
): Promise<FirstOwner | null> {
  const file = join(options.dataDir, 'first-owner')
  const shown = () => rmSync(file, { force: true })
  if (await db.prisma.workspace.count()) {
    if (!existsSync(file)) return null
    const noted = JSON.parse(readFileSync(file, 'utf8')) as { email: string; password: string }
    return { ...noted, shown }
  }
  const generated = options.password ? null : randomBytes(12).toString('base64url')
  if (generated) {
    // Under its name only when it is whole: a kill or a full disk in between leaves no half of it.
    writeFileSync(`${file}.new`, JSON.stringify({ email: options.email, password: generated }), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  } else shown()
  const { created } = await seedFirstData(db, {
    ownerEmail: options.email,
    ownerPassword: generated ?? (options.password as string),
    workspaceName: 'My workspace',
  })
  if (created) return { email: options.email, password: generated, shown }
  // Another start on the same database was faster, and its owner is the one.
  shown()
  return null
}
