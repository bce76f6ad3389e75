import type { EmbeddedPostgres } from '@quartermaster/db/embedded-postgres'
import type { Child } from './child.ts'

/** Waits until somebody asks for the end (0), or a part ends by itself (1, and a line says which). */
export function superviseUntilEnd(
  children: Child[],
  postgres: EmbeddedPostgres | null,
  stop: AbortSignal,
  say: (what: string) => void,
): Promise<number> {
  return new Promise((end) => {
    if (stop.aborted) end(0)
    stop.addEventListener('abort', () => end(0), { once: true })
    let isOver = false
    const ended = (sentence: string) => {
      // Only the first end is news: the others follow from it, or from the stop.
      if (!isOver && !stop.aborted) say(sentence)
      isOver = true
      end(1)
    }
    for (const child of children)
      child.exited.then((code) => ended(`The ${child.name} ended by itself (code ${code}); its last words are above.`))
    postgres?.exited.then(() => ended('PostgreSQL ended by itself; postgres.log in the data folder says why.'))
  })
}
