import type { ServerResponse } from 'node:http'
import { parseContent } from './blocks/parse-message.ts'
import type { Core, ResponseUrl } from './core.ts'
import { emitChanged, emitDeleted, emitMessage, messageObject } from './events.ts'
import type { Json, Message } from './model.ts'
import { Refusal } from './refusal.ts'

const mostUses = 5
const lifeMs = 30 * 60_000

/** A `response_url`: a way to answer somebody's click or command without a token, five times within half an hour. */
export function serveResponse(core: Core, path: string, response: ServerResponse, body: Buffer): void {
  const answer = (status: number, json: Json) => {
    core.requests.push({
      method: 'response_url',
      teamId: url?.teamId ?? null,
      args,
      at: core.clock.now(),
      status,
      answer: json,
      tooEarly: false,
    })
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    core.world.changed()
  }
  const url = core.responseUrls.get(path)
  let args: Json = {}
  if (!url) return void answer(404, { ok: false, error: 'invalid_url' })
  if (core.clock.now() - url.at > lifeMs) return void answer(404, { ok: false, error: 'expired_url' })
  if (url.uses >= mostUses) return void answer(404, { ok: false, error: 'used_url' })
  try {
    args = JSON.parse(body.toString()) as Json
  } catch {
    return void answer(400, { ok: false, error: 'invalid_payload' })
  }
  url.uses++
  try {
    respond(core, url, args)
    answer(200, { ok: true })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    answer(error.code === 'no_text' ? 500 : 400, { ok: false, error: error.code, ...error.more })
  }
}

/** Changes what was clicked, or says something new: to the one person, unless it is to be for all. */
export function respond(core: Core, url: ResponseUrl, args: Json): void {
  const channel = core.world.channels.get(url.channel)
  if (!channel) throw new Refusal('channel_not_found')
  if (channel.archived) throw new Refusal('is_archived')
  const clicked = url.ephemeral
    ? core.world.ephemerals.find(({ ts }) => ts === url.ts)
    : core.world.message(url.channel, url.ts ?? '')
  if (args.delete_original) {
    if (!clicked) throw new Refusal('message_not_found')
    const list = url.ephemeral ? core.world.ephemerals : channel.messages
    const previous = messageObject(core, clicked)
    list.splice(list.indexOf(clicked), 1)
    if (!url.ephemeral) emitDeleted(core, channel, previous)
    return
  }
  const content = parseContent(args)
  if (args.replace_original && clicked) {
    const previous = messageObject(core, clicked)
    delete clicked.blocks
    delete clicked.attachments
    Object.assign(clicked, content)
    if (!url.ephemeral) emitChanged(core, channel, clicked, previous)
    return
  }
  const bot = core.botOf(url.teamId)
  const thread = typeof args.thread_ts === 'string' ? args.thread_ts : url.threadTs
  const message: Message = {
    channel: channel.id,
    ts: core.clock.ts(),
    user: bot.userId,
    bot_id: bot.botId,
    app_id: core.appId,
    ...content,
    ...(thread ? { thread_ts: thread } : {}),
  }
  if (args.response_type === 'in_channel') {
    channel.messages.push(message)
    emitMessage(core, channel, message)
  } else core.world.ephemerals.push({ ...message, ephemeralTo: url.userId })
}
