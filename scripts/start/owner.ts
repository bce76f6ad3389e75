import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
  const noted = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { email: string; password: string })
    : null
  const generated = options.password
    ? null
    : (noted ?? { email: options.email, password: randomBytes(12).toString('base64url') })
  if (generated && !noted) {
    if (await db.prisma.workspace.count()) return null
    writeFileSync(file, JSON.stringify(generated), { mode: 0o600 })
  }
  const owner = {
    email: generated?.email ?? options.email,
    password: generated?.password ?? (options.password as string),
  }
  const { created } = await seedFirstData(db, {
    ownerEmail: owner.email,
    ownerPassword: owner.password,
    workspaceName: 'My workspace',
  })
  if (!created && !noted) return null
  return { email: owner.email, password: generated?.password ?? null, shown: () => rmSync(file, { force: true }) }
}
