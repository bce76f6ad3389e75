/** What the work comes to, or why the signal was aborted, whichever is first: for work that does not obey a signal. */
export async function orEnded<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    work.catch(() => {})
    throw signal.reason
  }
  let abort = () => {}
  const ended = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
  })
  return Promise.race([work, ended]).finally(() => signal.removeEventListener('abort', abort))
}
