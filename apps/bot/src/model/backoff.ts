import { setTimeout as sleep } from 'node:timers/promises'
import { aborted, type ModelError } from './model-error.ts'

export interface BackoffOptions {
  attempts: number
  firstMs: number
  longestMs: number
  longestAskedMs: number
}

/**
 * How long to wait after this attempt's failure, or null when there is no point in another one. Where the server said
 * how long, that counts (a little more, so that not all who were refused come back at the same moment). Otherwise a
 * random time up to twice the last maximum.
 */
export function resolveBackoff(
  error: ModelError,
  attempt: number,
  options: BackoffOptions,
  random: () => number = Math.random,
): number | null {
  if (!error.passing || attempt >= options.attempts) return null
  if (error.retryAfterMs !== null) {
    if (error.retryAfterMs > options.longestAskedMs) return null
    return Math.round(error.retryAfterMs * (1 + random() * 0.1))
  }
  const most = Math.min(options.longestMs, options.firstMs * 2 ** (attempt - 1))
  return Math.round(most * (0.5 + random() * 0.5))
}

export async function waitUnlessAborted(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal })
  } catch {
    throw aborted()
  }
}
