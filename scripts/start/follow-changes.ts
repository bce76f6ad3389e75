import { readdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { type Child, ChildFailed } from './child.ts'

/** Editors write a file in several steps, and a checkout writes many. */
const settleMs = 150

/**
 * A child that is started again whenever a file in one of the folders changes. One that cannot start, or ends by
 * itself, waits for the next change; only `stop` ends it for good.
 *
 * Not `node --watch`: it watches the files by inode, and one that an editor (or git) replaces is followed once and
 * never again (nodejs/node#51621). Folders are watched here, and looked through anew with each start.
 */
export async function followChanges(
  folders: string[],
  start: () => Promise<Child>,
  say: (what: string) => void,
): Promise<Child> {
  const first = await start()
  let current: Child | null = first
  let stopped = false
  let restarting = Promise.resolve()
  let settling: NodeJS.Timeout | undefined
  const watchers = new Map<string, ReturnType<typeof watch>>()

  const changed = () => {
    clearTimeout(settling)
    settling = setTimeout(() => {
      restarting = restarting.then(restart)
    }, settleMs)
  }
  const watchAll = () => {
    const there = new Set(folders.flatMap(withFoldersBelow))
    for (const [folder, watcher] of watchers) {
      if (there.has(folder)) continue
      watcher.close()
      watchers.delete(folder)
    }
    // A folder that is removed while it is watched says so as an error; its parent has reported the change.
    for (const folder of there)
      if (!watchers.has(folder))
        watchers.set(
          folder,
          watch(folder, changed).on('error', () => {}),
        )
  }
  const tellEnd = (child: Child) =>
    child.exited.then((code) => {
      if (child !== current || stopped) return
      current = null
      say(`The ${first.name} ended by itself (code ${code}). It starts again when a file changes.`)
    })
  async function restart(): Promise<void> {
    if (stopped) return
    watchAll()
    const old = current
    current = null
    await old?.stop()
    try {
      current = await start()
      tellEnd(current)
      say(`The ${first.name} was started again, because a file changed.`)
    } catch (error) {
      if (stopped) return
      say(error instanceof ChildFailed && error.said ? error.said : String(error))
      say(`The ${first.name} did not start. It starts again when a file changes.`)
    }
  }

  watchAll()
  tellEnd(first)
  const { promise: exited, resolve: exit } = Promise.withResolvers<number | null>()
  return {
    name: first.name,
    ready: first.ready,
    exited,
    async stop() {
      stopped = true
      clearTimeout(settling)
      for (const watcher of watchers.values()) watcher.close()
      await restarting
      await current?.stop()
      exit(0)
    },
  }
}

function withFoldersBelow(folder: string): string[] {
  const below = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return [folder, ...below.flatMap((entry) => withFoldersBelow(join(folder, entry.name)))]
}
