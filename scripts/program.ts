import { describeFailure } from '@quartermaster/db'
import { ChildFailed } from './start/child.ts'
import { Stopped } from './stop-signal.ts'

/** Runs a script's body: a failure is told in one sentence with its fix, and ends with a code other than 0. */
export async function runProgram(body: () => Promise<number | undefined>): Promise<void> {
  try {
    process.exitCode = (await body()) ?? 0
  } catch (error) {
    // Work that nobody waits for any more must not keep the process up.
    if (error instanceof Stopped) process.exit(130)
    console.error(error instanceof ChildFailed && error.said ? error.said : describeFailure(error))
    process.exitCode = 1
  }
  // The channel to bootstrap.mjs would keep the process alive. Closing it ourselves is not the loss of our parent.
  process.removeAllListeners('disconnect')
  if (process.connected) process.disconnect()
}
