import { streamEvents } from '../playground/event-stream.ts'
import { runtime } from '../runtime.ts'

/** At most this often is a page told to read anew, however much happens. */
const restMs = 400

/** Tells a page that questions of the workspace may have changed. What counts it reads elsewhere. */
export function followQuestions(
  workspaceId: string,
  signal: AbortSignal,
  isStillAllowed: () => Promise<boolean>,
): Response {
  return streamEvents(
    signal,
    (stream) => {
      let resting: NodeJS.Timeout | undefined
      const tell = () => {
        resting ??= setTimeout(() => {
          resting = undefined
          stream.send('changed', {})
        }, restMs)
      }
      const leave = runtime().live.watch(workspaceId, tell, () => stream.end())
      return () => {
        clearTimeout(resting)
        leave()
      }
    },
    isStillAllowed,
  )
}
