import type { ApiMethods, Opts } from 'grammy/types'
import { z } from 'zod'
import type { Upload } from './files.ts'
import { badRequest } from './refusal.ts'
import type { Webhook } from './webhook.ts'
import type { World } from './world.ts'

/** What a method has at hand besides its parameters. */
export interface Call {
  world: World
  webhook: Webhook
  uploads: Map<string, Upload>
  /** Aborts when the caller hangs up. */
  gone: AbortSignal
}

export interface Method {
  name: string
  answer(fields: Record<string, unknown>, call: Call): unknown
}

export type MethodName = keyof ApiMethods
type FieldName<M extends MethodName> = keyof Opts<M>

/**
 * A method of the Bot API. Its shape names every field that grammY's types name and no other, or it does not compile:
 * so a field that Telegram would silently ignore is refused here, and one that it would take is not forgotten.
 */
export function method<M extends MethodName, S extends Record<FieldName<M>, z.ZodType>>(
  name: M,
  shape: S & Record<Exclude<keyof S, FieldName<M>>, never>,
  answer: (fields: z.output<z.ZodObject<S>>, call: Call) => unknown,
): Method {
  const schema = z.strictObject(shape as unknown as z.core.$ZodLooseShape)
  return {
    name,
    answer(fields, call) {
      const parsed = schema.safeParse(fields)
      if (!parsed.success) throw badRequest(problemOf(parsed.error))
      return answer(parsed.data as z.output<z.ZodObject<S>>, call)
    },
  }
}

function problemOf(error: z.ZodError): string {
  const issue = error.issues[0]
  const name = issue?.path.join('.') ?? ''
  if (issue?.code === 'unrecognized_keys') return `the method has no parameter "${issue.keys.join('", "')}"`
  if (name === 'chat_id') return 'chat_id is empty'
  if (name === 'text') return 'message text is empty'
  if (name === 'message_id') return 'message identifier is not specified'
  if (name === 'scope.type') return "can't parse BotCommandScope: Unsupported type specified"
  return `can't parse "${name}": ${issue?.message}`
}

const numeric = (value: unknown) => (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value)
const truth: Record<string, boolean> = {
  true: true,
  True: true,
  '1': true,
  false: false,
  False: false,
  '0': false,
  '': false,
}

/** The kinds of parameters. A form has only strings, so each is also read from one. */
export const text = z.string()
export const integer = z.preprocess(numeric, z.int())
export const number = z.preprocess(numeric, z.number())
export const flag = z.preprocess((value) => (typeof value === 'string' ? (truth[value] ?? value) : value), z.boolean())
export const chatId = z.preprocess(numeric, z.union([z.int(), z.string().startsWith('@')]))

export function json<S extends z.ZodType>(schema: S) {
  return z.preprocess((value, context) => {
    if (typeof value !== 'string') return value
    try {
      return JSON.parse(value)
    } catch {
      context.addIssue({ code: 'custom', message: "can't parse JSON object" })
      return z.NEVER
    }
  }, schema)
}

export const entities = json(z.array(z.looseObject({ type: z.string(), offset: z.int(), length: z.int() })))

export const replyParameters = json(
  z.strictObject({
    message_id: integer.optional(),
    chat_id: chatId.optional(),
    ephemeral_message_id: integer.optional(),
    checklist_task_id: integer.optional(),
    poll_option_id: text.optional(),
    allow_sending_without_reply: flag.optional(),
    quote: text.optional(),
    quote_parse_mode: text.optional(),
    quote_entities: entities.optional(),
    quote_position: integer.optional(),
  }),
)

export const richMessage = json(
  z.strictObject({
    blocks: z.array(z.looseObject({ type: z.string() })).optional(),
    html: text.optional(),
    markdown: text.optional(),
    media: z.array(z.strictObject({ id: z.string(), media: z.looseObject({ type: z.string() }) })).optional(),
    is_rtl: flag.optional(),
    skip_entity_detection: flag.optional(),
  }),
)
export const ephemeralParameters = json(
  z.strictObject({
    receiver_user_id: integer,
    callback_query_id: text.optional(),
    replace_callback_query_message: flag.optional(),
  }),
)
export const markup = json(z.unknown())
export const linkPreview = json(
  z.strictObject({
    is_disabled: flag.optional(),
    url: text.optional(),
    prefer_small_media: flag.optional(),
    prefer_large_media: flag.optional(),
    show_above_text: flag.optional(),
  }),
)

/** What every method that sends a message takes. */
export const sendFields = {
  business_connection_id: text.optional(),
  chat_id: chatId,
  message_thread_id: integer.optional(),
  direct_messages_topic_id: integer.optional(),
  disable_notification: flag.optional(),
  protect_content: flag.optional(),
  allow_paid_broadcast: flag.optional(),
  message_effect_id: text.optional(),
  reply_parameters: replyParameters.optional(),
}
/** What nearly every one of them takes too. */
export const fullSendFields = {
  ...sendFields,
  ephemeral_message_parameters: ephemeralParameters.optional(),
  suggested_post_parameters: json(z.unknown()).optional(),
  reply_markup: markup.optional(),
}
