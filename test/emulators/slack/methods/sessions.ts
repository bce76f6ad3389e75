import type { Channel, SessionStatus } from '../model.ts'
import { invalidArguments, Refusal } from '../refusal.ts'
import { type Call, type Methods, needString, writableChannel } from './method.ts'

const statuses: readonly string[] = ['active', 'processing', 'suspended', 'closed']
const mostTitle = 200

export function parseStatus(value: unknown): SessionStatus {
  if (!statuses.includes(value as string))
    throw invalidArguments(`must be one of: ${statuses.join(', ')} [json-pointer:/status]`)
  return value as SessionStatus
}

/** The thread of a session; a session in a thread needs its root. */
function thread(call: Call): { channel: Channel; ts: string } {
  const channel = writableChannel(call, needString(call.args, 'channel_id'))
  const ts = needString(call.args, 'thread_ts')
  if (!call.core.world.thread(channel.id, ts).length) throw new Refusal('thread_not_found')
  return { channel, ts }
}

export const sessionMethods: Methods = {
  'agents.sessions.setStatus': {
    token: 'bot',
    scope: 'chat:write',
    tier: 3,
    run(call) {
      const { core, args } = call
      const status = parseStatus(args.status)
      const { channel, ts } = thread(call)
      const title = typeof args.title === 'string' ? args.title : null
      if (title && title.length > mostTitle)
        throw invalidArguments(`must be less than ${mostTitle + 1} characters [json-pointer:/title]`)
      if (args.initiator_user_id !== undefined && !channel.members.has(String(args.initiator_user_id)))
        throw new Refusal('user_not_in_channel')
      const before = core.world.session(channel.id, ts)
      const session = core.world.setSession(channel.id, ts, { status, title: before ? before.title : title })
      const warning = 'missing_agent_session_stopped_event_subscription'
      const subscribed = core.events.has('agent_session_stopped')
      return {
        status,
        agent_status: status,
        ...(session.title ? { title: session.title } : {}),
        ...(subscribed ? {} : { warning, response_metadata: { warnings: [warning] } }),
      }
    },
  },
  'agents.sessions.rename': {
    token: 'bot',
    scope: 'chat:write',
    tier: 3,
    run(call) {
      const { channel, ts } = thread(call)
      const title = needString(call.args, 'title')
      if (title.length > mostTitle)
        throw invalidArguments(`must be less than ${mostTitle + 1} characters [json-pointer:/title]`)
      if (!call.core.world.session(channel.id, ts)) throw new Refusal('session_not_found')
      call.core.world.setSession(channel.id, ts, { title })
      return { title }
    },
  },
  'assistant.threads.setStatus': {
    token: 'bot',
    scope: 'chat:write',
    tier: 3,
    run(call) {
      const { channel, ts } = thread(call)
      const { status, loading_messages: loading } = call.args
      if (typeof status !== 'string') throw invalidArguments('missing required field: status [json-pointer:/status]')
      if (Array.isArray(loading) && loading.length > 10)
        throw invalidArguments('no more than 10 items allowed [json-pointer:/loading_messages]')
      call.core.world.setSession(channel.id, ts, { words: status })
      return {}
    },
  },
  'assistant.threads.setTitle': {
    token: 'bot',
    scope: 'assistant:write',
    tier: 3,
    run(call) {
      const { channel, ts } = thread(call)
      call.core.world.setSession(channel.id, ts, { title: needString(call.args, 'title') })
      return {}
    },
  },
  'assistant.threads.setSuggestedPrompts': {
    token: 'bot',
    scope: 'assistant:write',
    tier: 3,
    run(call) {
      const { core, args } = call
      const channel = writableChannel(call, needString(args, 'channel_id'))
      const prompts = args.prompts as { title: string; message: string }[] | undefined
      if (!Array.isArray(prompts) || !prompts.length)
        throw invalidArguments('missing required field: prompts [json-pointer:/prompts]')
      if (prompts.length > 4) throw invalidArguments('no more than 4 items allowed [json-pointer:/prompts]')
      if (prompts.some(({ title, message }) => !title || !message))
        throw invalidArguments('missing required field: title [json-pointer:/prompts]')
      core.world.prompts.set(channel.id, { prompts, ...(args.title ? { title: String(args.title) } : {}) })
      core.world.changed()
      return {}
    },
  },
}
