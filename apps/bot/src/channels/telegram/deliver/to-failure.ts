import { GrammyError } from 'grammy'
import { DeliveryFailure } from '../../channel.ts'
import { isTokenRefused, retryAfterOf } from '../connect/describe-refusal.ts'

/** How long deliveries wait while Telegram does not know the token: somebody has to mend that first. */
const tokenWaitMs = 60_000

/** What Telegram's refusal means for a delivery. Whatever leaves open whether it was sent is passed on as it is. */
export function toFailure(error: unknown): unknown {
  if (!(error instanceof GrammyError)) return error
  const wait = retryAfterOf(error)
  if (wait !== null) return new DeliveryFailure(error.description, wait)
  if (isTokenRefused(error))
    return new DeliveryFailure(`Telegram refuses the token (${error.description}).`, tokenWaitMs)
  if (error.error_code === 403)
    return new DeliveryFailure(`Telegram does not let us write here: ${error.description}.`, null)
  if (error.error_code < 500) return new DeliveryFailure(`Telegram refuses it: ${error.description}.`, null)
  return error
}

/** A group that became a supergroup has another id. */
export const movedTo = (error: unknown): number | null =>
  error instanceof GrammyError ? (error.parameters.migrate_to_chat_id ?? null) : null

/** Telegram did not understand it, so it may be said in another way. */
export const isMisunderstood = (error: unknown): boolean =>
  error instanceof GrammyError && (error.error_code === 400 || error.error_code === 404) && movedTo(error) === null
