import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process'
import { chmodSync, chownSync, readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Problem } from './problem.ts'

/** The account that a server runs under. Null: our own, which is not root. */
export type Owner = { uid: number; gid: number } | null

const ownerNames = ['quartermaster', 'postgres']

/** PostgreSQL refuses to run as root; as root we use, or make, a system account for it. */
export function findOwner(): Owner {
  if (process.getuid?.() !== 0) return null
  const known = lookUpAccount()
  if (known) return known
  try {
    execFileSync('useradd', ['--system', '--no-create-home', '--shell', '/usr/sbin/nologin', ownerNames[0] as string], {
      stdio: 'ignore',
    })
  } catch (cause) {
    throw new Problem(
      'PostgreSQL does not run as root, and no account for it could be made (useradd failed).',
      'Create a system user named "quartermaster", start Quartermaster as an ordinary user, or set DATABASE_URL.',
      { cause },
    )
  }
  return lookUpAccount()
}

function lookUpAccount(): Owner {
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const name of ownerNames) {
    const account = accounts.find((fields) => fields[0] === name)
    if (account) return { uid: Number(account[2]), gid: Number(account[3]) }
  }
  return null
}

export function giveTo(owner: Owner, path: string, mode: number): void {
  if (owner) chownSync(path, owner.uid, owner.gid)
  chmodSync(path, mode)
}

/**
 * Starts a program as the owner. Where a folder on the way to its files lets only root through (a clone under
 * /root, or in a folder of mktemp), the owner gets the one capability to pass through folders, and no other.
 */
export function spawnAs(
  owner: Owner,
  file: string,
  args: string[],
  reaches: string[],
  options: SpawnOptions,
): ChildProcess {
  if (!owner) return spawn(file, args, options)
  if ([file, ...reaches].every(othersMayPassTo)) return spawn(file, args, { ...options, ...owner })
  return spawn(
    'setpriv',
    [
      `--reuid=${owner.uid}`,
      `--regid=${owner.gid}`,
      '--clear-groups',
      '--inh-caps=+dac_read_search',
      '--ambient-caps=+dac_read_search',
      file,
      ...args,
    ],
    options,
  )
}

function othersMayPassTo(path: string): boolean {
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false
    if (folder === dirname(folder)) return true
  }
}
