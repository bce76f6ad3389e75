import { data } from '../data.ts'
import { streamEvents } from '../playground/event-stream.ts'
import { runtime } from '../runtime.ts'
import { mostWaiting, type WaitingEvent } from '../shell/waiting-event.ts'
import { tellWithRest } from '../tell-with-rest.ts'

/** At most this often is a page told to read anew, however much happens. */
const restMs = 150

/**
 * Tells a page that runs or questions of the workspace may have changed (`changed`; what counts it reads elsewhere), and
 * how many questions wait for this member (`waiting`).
 */
export function followQuestions(
  { workspaceId, memberId }: { workspaceId: string; memberId: string },
  signal: AbortSignal,
  isStillAllowed: () => Promise<boolean>,
): Response {
  return streamEvents(
    signal,
    (stream) => {
      const { db, live } = runtime()
      let asked = false
      let said: number | null = null
      const count = async () => {
        const waiting = await data.countQuestionsFor(db, { workspaceId, memberId, most: mostWaiting + 1 })
        if (waiting !== said) stream.send('waiting', { count: waiting } satisfies WaitingEvent)
        said = waiting
      }
      const tryToCount = () =>
        count().catch((error: Error) => console.error(`console: open questions were not counted: ${error.message}`))
      const changed = tellWithRest(() => {
        stream.send('changed', {})
        if (asked) void tryToCount()
        asked = false
      }, restMs)
      const leave = live.watch(
        workspaceId,
        (change) => {
          asked ||= change === null || change.kind.startsWith('question-')
          changed.call()
        },
        () => stream.end(),
      )
      void tryToCount()
      return () => {
        changed.end()
        leave()
      }
    },
    isStillAllowed,
  )
}
