import { playgroundLimits as limits } from './limits.ts'

export interface EventStream {
  /** Something that the reader must get. */
  send(name: string, data: unknown): void
  /** Something that may be left out when the reader is slow. False: it was. */
  trySend(name: string, data: unknown): boolean
  end(): void
}

/**
 * Server-sent events to one reader. `begin` gets the stream and returns what to do when it is over, however it ends: the
 * reader went, we ended it, or the console stops.
 */
export function streamEvents(
  signal: AbortSignal,
  begin: (stream: EventStream) => () => void,
  isStillAllowed: () => Promise<boolean>,
): Response {
  const encoder = new TextEncoder()
  let finish = () => {}
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let over = false
        let leave = () => {}
        const write = (text: string) => {
          if (!over) controller.enqueue(encoder.encode(text))
        }
        const room = () => controller.desiredSize ?? 0
        finish = () => {
          if (over) return
          over = true
          clearInterval(beats)
          signal.removeEventListener('abort', finish)
          leave()
          try {
            controller.close()
          } catch {
            // The reader has cancelled it already.
          }
        }
        const beat = async () => {
          // Nobody has read for long: the buffer is full of what must not be lost, so it is better to begin anew.
          if (room() < -limits.streamBytes) return finish()
          write(': beat\n\n')
          // What cannot be asked now is asked again at the next beat.
          const allowed = await isStillAllowed().catch(() => true)
          if (!allowed) finish()
        }
        const beats = setInterval(() => void beat(), limits.beatMs)
        signal.addEventListener('abort', finish)
        const render = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
        write(': open\n\n')
        leave = begin({
          send: (name, data) => write(render(name, data)),
          trySend: (name, data) => {
            if (room() <= 0) return false
            write(render(name, data))
            return true
          },
          end: () => finish(),
        })
        if (over) leave()
        if (signal.aborted) finish()
      },
      cancel: () => finish(),
    },
    { highWaterMark: limits.streamBytes, size: (chunk) => chunk?.byteLength ?? 0 },
  )
  return new Response(body, {
    headers: {
      'Content-Type': 'text/event-stream; charset=utf-8',
      // `no-transform` also keeps Next's compression from holding events back.
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
    },
  })
}
