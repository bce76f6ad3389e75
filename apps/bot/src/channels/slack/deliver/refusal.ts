// What Slack's refusals mean for a delivery: come back later, never, or nobody knows.
import { WebAPIPlatformError, WebAPIRateLimitedError } from '@slack/web-api'
import { DeliveryFailure } from '../../channel.ts'
import { type SlackConnection, SlackUnconnected } from '../connect/slack-connection.ts'

/** Slack's word for why it refused; null for anything else that went wrong. */
export const refusalOf = (error: unknown): string | null =>
  error instanceof WebAPIPlatformError ? error.data.error : null

/** The same will be refused again, whenever it is tried. */
const permanent: Readonly<Record<string, string>> = {
  channel_not_found: 'The Slack channel does not exist any more, or we may not see it.',
  is_archived: 'The Slack channel is archived.',
  is_inactive: 'The Slack channel is archived.',
  not_in_channel: 'The bot is not in this Slack channel any more.',
  user_not_found: 'There is no such person on Slack.',
  user_not_visible: 'We may not write to this person on Slack.',
  user_disabled: 'This person’s Slack account is deactivated.',
  cannot_dm_bot: 'A bot cannot be written to directly.',
  restricted_action: 'Slack’s settings do not let us post here.',
  restricted_action_read_only_channel: 'The Slack channel is read-only.',
  restricted_action_thread_only_channel: 'In this Slack channel only threads can be written to.',
  restricted_action_thread_locked: 'The thread is locked.',
  thread_not_found: 'The thread does not exist any more.',
  invalid_auth: 'Slack does not know our token.',
  not_authed: 'Slack was not told a token.',
  token_revoked: 'Our Slack token was revoked.',
  token_expired: 'Our Slack token has expired.',
  account_inactive: 'The app was removed from this Slack workspace.',
  team_access_not_granted: 'The app may not be used in this Slack workspace any more.',
  org_login_required: 'The Slack workspace has moved.',
  missing_scope: 'The Slack app lacks a scope that this needs.',
  no_permission: 'The Slack app may not do this.',
  ekm_access_denied: 'The Slack workspace’s administrators have suspended this.',
  msg_too_long: 'The message is too long for Slack.',
  msg_blocks_too_long: 'The message is too long for Slack.',
  no_text: 'Slack takes no empty message.',
  invalid_blocks: 'Slack does not take the message’s blocks.',
  invalid_blocks_format: 'Slack does not take the message’s blocks.',
  invalid_arguments: 'Slack does not take the message’s arguments.',
  invalid_metadata_format: 'Slack does not take the message’s metadata.',
  metadata_too_large: 'The message’s metadata is too large for Slack.',
  cant_update_message: 'Slack does not let us change this message.',
  edit_window_closed: 'Slack does not let us change this message any more.',
  file_upload_size_restricted: 'The file is too large for this Slack workspace.',
  file_uploads_disabled: 'Files are disabled in this Slack workspace.',
}

/** Where Slack says "too often" without saying until when. */
const unsaidWaitMs = 30_000
/** No token now; the app may be installed again. */
const unconnectedMs = 60_000

/** What to throw out of `deliver` for what went wrong: a DeliveryFailure where it is certain that nothing was sent. */
export function explainRefusal(
  slack: SlackConnection,
  where: { channelId: string; place?: string },
  error: unknown,
): unknown {
  if (error instanceof WebAPIRateLimitedError)
    return new DeliveryFailure('Slack asked us to slow down.', error.retryAfter * 1000)
  if (error instanceof SlackUnconnected) return new DeliveryFailure(error.message, unconnectedMs)
  const code = refusalOf(error)
  if (code === null) return error
  if (code === 'ratelimited' || code === 'rate_limited')
    return new DeliveryFailure('Slack asked us to slow down.', unsaidWaitMs)
  const sentence = Object.hasOwn(permanent, code) ? permanent[code] : undefined
  slack.refused(where.channelId, code, where.place)
  return sentence ? new DeliveryFailure(`${sentence} (${code})`, null) : error
}
