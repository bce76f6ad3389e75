import { ModelError } from './model-error.ts'

export interface WatchOptions {
  idleMs: number
  maxBytes: number
}

/**
 * `fetch` whose answer is cut when it falls silent or grows too large. It watches bytes, because the pings that a
 * thinking model sends are swallowed by the SDK and must count as life.
 */
export function createWatchedFetch({ idleMs, maxBytes }: WatchOptions): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (!response.body) return response
    return new Response(watch(response.body, idleMs, maxBytes), response)
  }
}

function watch(source: ReadableStream<Uint8Array>, idleMs: number, maxBytes: number): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  let received = 0
  const fail = (controller: ReadableStreamDefaultController, sentence: string, passing: boolean) => {
    const error = new ModelError('unreachable', sentence, { passing })
    controller.error(error)
    // Cancelling closes the connection; whether it still could be read does not matter any more.
    reader.cancel(error).catch(() => {})
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const timer = setTimeout(
          () => fail(controller, `The model fell silent for ${Math.round(idleMs / 1000)} s.`, true),
          idleMs,
        )
        try {
          const { done, value } = await reader.read()
          if (done) {
            controller.close()
            return
          }
          received += value.byteLength
          if (received > maxBytes) fail(controller, `The model's answer has more than ${maxBytes} bytes.`, false)
          else controller.enqueue(value)
        } catch (error) {
          controller.error(error)
        } finally {
          clearTimeout(timer)
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is read ahead: a listener that is slow slows the sender.
    { highWaterMark: 0 },
  )
}
