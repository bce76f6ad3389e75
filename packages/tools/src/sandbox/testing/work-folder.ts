import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sandboxAccount } from '../sandbox-account.ts'

/** A folder for tests that programs in a sandbox can write to, as the bot makes them. */
export function makeWorkFolder(): { path: string; parent: string; remove(): void } {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), 'qm-work-')))
  chmodSync(parent, 0o755)
  const path = join(parent, 'work')
  mkdirSync(path)
  const account = sandboxAccount()
  if (account) chownSync(path, account.uid, account.gid)
  return { path, parent, remove: () => rmSync(parent, { recursive: true, force: true }) }
}
