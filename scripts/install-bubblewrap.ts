import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { detectSandbox } from '@quartermaster/tools'

const aptGet = '/usr/bin/apt-get'
const installMs = 120_000

/**
 * Brings the sandbox that many tests need, where that is one quiet command: as root on Debian and its like. Where it may
 * not or does not work, nothing is changed, and the tests that need it are listed at the end.
 */
export async function installBubblewrapIfMissing(say: (line: string) => void, signal: AbortSignal): Promise<void> {
  const finding = await detectSandbox({ signal })
  if (finding.kind !== 'none' || !finding.detail.includes('not installed')) return
  if (process.getuid?.() !== 0 || !existsSync(aptGet)) return
  say('The sandbox (bubblewrap) is not installed. Installing it with apt-get.')
  try {
    await install(signal).catch(async () => {
      // A fresh container has no list of packages yet.
      await apt(['update', '-qq'], signal)
      await install(signal)
    })
    say('Installed.')
  } catch (error) {
    signal.throwIfAborted()
    say(`It could not be installed: ${(error as Error).message.split('\n')[0]}`)
  }
}

const install = (signal: AbortSignal) => apt(['install', '-y', '-qq', '--no-install-recommends', 'bubblewrap'], signal)

const apt = (args: string[], signal: AbortSignal) =>
  promisify(execFile)(aptGet, args, {
    timeout: installMs,
    signal,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
