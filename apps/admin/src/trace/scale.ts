/** How much of the width waiting takes at most, measured by the work. */
const mostIdle = 0.6

/**
 * From milliseconds to a share of the width, 0 to 1. Work is true to scale; a run may wait a day for an answer, and then
 * that day is drawn as long as it takes to see it, and no longer.
 */
export function makeScale(
  length: number,
  idle: readonly { from: number; to: number }[],
): { at: (ms: number) => number; shortened: boolean } {
  const waited = idle.reduce((sum, { from, to }) => sum + to - from, 0)
  const worked = Math.max(length - waited, 1)
  const factor = waited > worked * mostIdle ? (worked * mostIdle) / waited : 1
  const drawn = worked + waited * factor
  const at = (ms: number) => {
    const idleBefore = idle.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, ms) - from), 0)
    return Math.min(1, Math.max(0, (ms - idleBefore * (1 - factor)) / drawn))
  }
  return { at, shortened: factor < 1 }
}
