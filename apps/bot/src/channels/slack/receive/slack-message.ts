// The part of Slack's message events that we read. They are parsed rather than believed: Slack adds subtypes freely.
import { z } from 'zod'

const file = z.object({
  id: z.string(),
  name: z.string().nullish(),
  title: z.string().nullish(),
  mimetype: z.string().nullish(),
  size: z.number().nullish(),
  mode: z.string().nullish(),
})

const attachment = z.object({
  /** Somebody else's message that was forwarded or linked to. */
  is_share: z.boolean().nullish(),
  is_msg_unfurl: z.boolean().nullish(),
  author_name: z.string().nullish(),
  text: z.string().nullish(),
  from_url: z.string().nullish(),
  files: z.array(file).nullish().catch(null),
})

const said = z.object({
  subtype: z.string().nullish(),
  user: z.string().nullish(),
  bot_id: z.string().nullish(),
  text: z.string().nullish(),
  ts: z.string(),
  thread_ts: z.string().nullish(),
  files: z.array(file).nullish().catch(null),
  attachments: z.array(attachment).nullish().catch(null),
})

export const slackMessage = said.extend({
  type: z.enum(['message', 'app_mention']),
  channel: z.string(),
  channel_type: z.string().nullish(),
  hidden: z.boolean().nullish(),
  deleted_ts: z.string().nullish(),
  message: said.nullish().catch(null),
  previous_message: said.nullish().catch(null),
})

export type SlackSaid = z.infer<typeof said>
export type SlackMessage = z.infer<typeof slackMessage>

/** What people do with words; everything else (somebody joined, a topic was set) is not said to anybody. */
const spoken = new Set(['file_share', 'me_message', 'thread_broadcast'])

/** Somebody said this: a person, not an app, and not Slack itself. */
export const isSpoken = (one: SlackSaid): one is SlackSaid & { user: string } =>
  Boolean(one.user) && one.user !== 'USLACKBOT' && !one.bot_id && (!one.subtype || spoken.has(one.subtype))
