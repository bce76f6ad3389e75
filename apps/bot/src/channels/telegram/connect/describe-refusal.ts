import { GrammyError } from 'grammy'

/** What went wrong, without the address of the request: that holds the token. */
export function describeRefusal(error: unknown): string {
  if (error instanceof GrammyError) return error.description
  return 'Telegram cannot be reached'
}

/** Telegram does not know the token (any more). */
export const isTokenRefused = (error: unknown): boolean =>
  error instanceof GrammyError &&
  (error.error_code === 401 || (error.error_code === 404 && error.description === 'Not Found'))

/** Seconds that Telegram wants to be left alone, as milliseconds; null where it did not say so. */
export function retryAfterOf(error: unknown): number | null {
  if (!(error instanceof GrammyError) || error.error_code !== 429) return null
  return (error.parameters.retry_after ?? 1) * 1_000
}

/** A 400 with one of these words. */
export const isRefusal = (error: unknown, words: string): error is GrammyError =>
  error instanceof GrammyError && error.error_code === 400 && error.description.toLowerCase().includes(words)

/** What it should show, it shows already. */
export const isNotModified = (error: unknown) => isRefusal(error, 'message is not modified')

/** Somebody deleted it, or it is too old to be changed: there is nothing to change any more. */
export const isMessageGone = (error: unknown) =>
  isRefusal(error, 'message to edit not found') ||
  isRefusal(error, 'message to delete not found') ||
  isRefusal(error, "message can't be edited") ||
  isRefusal(error, "message can't be deleted") ||
  isRefusal(error, 'message_id_invalid')
