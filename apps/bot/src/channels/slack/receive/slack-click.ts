// What a click and a submitted form are, once Slack has vouched for who did it. `ack` must be called within 3 s.
import type { BlockAction, BlockElementAction, RespondFn, ViewResponseAction, ViewSubmitAction } from '@slack/bolt'

export interface SlackClick {
  /** The team that our installation belongs to. */
  teamId: string
  /** Who clicked. */
  userId: string
  action: BlockElementAction
  body: BlockAction
  ack(): Promise<void>
  /** Through the response_url: 5 uses in 30 minutes. There is none in a modal and on the Home tab. */
  respond: RespondFn | null
}

export interface SlackSubmission {
  teamId: string
  userId: string
  view: ViewSubmitAction['view']
  body: ViewSubmitAction
  ack(response?: ViewResponseAction): Promise<void>
}
