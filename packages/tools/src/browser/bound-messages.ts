// A page decides how long some of the browser's messages are: what it writes to its console, what it throws, what a
// script returns. Playwright collects a message until it is whole, and one that is longer than any string ends our whole
// process. So the bytes are counted as they come, and a browser that says too much at once is ended instead: the next
// call starts another one.
import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Readable } from 'node:stream'

/** Bytes of one message. The longest that is meant, a picture of a whole page, has a few million. */
export const messageBytes = 64 * 1024 * 1024

/** Playwright does not hand out the process it starts, so Node is asked for it. Holds for what `launch` starts. */
export async function boundMessages<Result>(launch: () => Promise<Result>): Promise<Result> {
  const started = (message: unknown) => {
    const child = (message as { process: ChildProcess }).process
    child.once('spawn', () => {
      if (child.spawnargs.includes('--remote-debugging-pipe')) watch(child)
    })
  }
  subscribe('child_process', started)
  try {
    return await launch()
  } finally {
    unsubscribe('child_process', started)
  }
}

function watch(child: ChildProcess): void {
  const messages = child.stdio[4] as Readable
  let bytes = 0
  messages.on('data', (chunk: Buffer) => {
    // A NUL ends a message.
    const end = chunk.lastIndexOf(0)
    bytes = end < 0 ? bytes + chunk.length : chunk.length - end - 1
    if (bytes <= messageBytes) return
    messages.destroy()
    endGroup(child)
  })
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended by itself in between.
  }
}
