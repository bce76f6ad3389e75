/** Somebody asked the command to end before it was done. It is not a failure, and nothing more is said about it. */
export class Stopped extends Error {}

/**
 * Aborted when the command is to end: Ctrl-C, a signal, or the loss of the process that started it. Asking twice
 * changes nothing (Ctrl-C in a terminal arrives from the terminal and from bootstrap.mjs).
 */
export function listenForStop(): AbortSignal {
  const stop = new AbortController()
  const request = () => stop.abort(new Stopped())
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, request)
  process.on('disconnect', request)
  return stop.signal
}

/** The result of the work; when the command is to end, a rejection at once, and what becomes of the work is unheard. */
export async function unlessStopped<T>(stop: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const abandon = () => {
    // Its connections break when the database is stopped under it, and say so to nobody.
    process.on('uncaughtException', () => {})
    reject(stop.reason)
  }
  if (stop.aborted) abandon()
  stop.addEventListener('abort', abandon)
  try {
    return await Promise.race([work, stopped])
  } finally {
    stop.removeEventListener('abort', abandon)
  }
}
