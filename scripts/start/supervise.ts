import type { EmbeddedPostgres } from '@quartermaster/db/embedded-postgres'
import type { Child } from './child.ts'

/**
 * Waits for the end, and brings it about in order: what talks to people first, the database last. The end is a
 * signal, the loss of our own parent, or one of the children ending by itself (then the code is 1).
 */
export async function superviseUntilEnd(
  children: Child[],
  postgres: EmbeddedPostgres | null,
  say: (what: string) => void,
): Promise<number> {
  let stopping = false
  const code = await new Promise<number>((end) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0))
    process.on('disconnect', () => end(0))
    for (const child of children)
      child.exited.then((exit) => {
        if (stopping) return
        say(`The ${child.name} ended by itself (code ${exit}); its last words are above.`)
        end(1)
      })
    postgres?.exited.then(() => {
      if (stopping) return
      say('PostgreSQL ended by itself; postgres.log in the data folder says why.')
      end(1)
    })
  })
  stopping = true
  say('Stopping …')
  for (const child of children) await child.stop()
  await postgres?.stop()
  say('Stopped.')
  return code
}
