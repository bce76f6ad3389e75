import type { StopReason } from '../model.ts'

/** A request as it came in, checked. What is not named here is passed over. */
export interface MessagesRequest {
  model: string
  max_tokens: number
  stream?: boolean
  system?: string | { type: 'text'; text: string }[]
  messages: RequestMessage[]
  tools?: RequestTool[]
}

export interface RequestMessage {
  role: 'user' | 'assistant' | 'system'
  content: string | RequestBlock[]
}

export type RequestBlock = { type: string } & Record<string, unknown>

export interface RequestTool {
  name: string
  type?: string
  input_schema?: { properties?: Record<string, unknown>; required?: string[] }
}

/** What the server answers: content in order, or something that goes wrong, or both. */
export interface Reply {
  content?: readonly ReplyBlock[]
  /** By default `tool_use` where a tool is asked for, else `end_turn`. */
  stopReason?: StopReason
  refusal?: { category: string | null; explanation: string | null }
  /** Counts under the API's own names; by default estimated from lengths. */
  usage?: Record<string, unknown>
  /** The model that says it answered. */
  model?: string
  /** Before the first byte. */
  delayMs?: number
  /** Between two events. */
  paceMs?: number
  /** How many pings come before the first content; by default one. */
  pings?: number
  fault?: Fault
}

export type ReplyBlock =
  /** Pieces are streamed as they are; one string is cut into small ones. */
  | { text: string | readonly string[] }
  /** `json` are the pieces in which the arguments arrive, valid or not. */
  | { tool: string; input?: object; json?: readonly string[]; id?: string }
  | { thinking: string }
  /** Any block of the API, in one piece. */
  | { block: RequestBlock }

/** `afterEvents` counts the events of the stream, `message_start` being the first. */
export type Fault =
  | { kind: 'refuse'; status: number; type: string; message: string; headers?: Record<string, string> }
  /** The connection is destroyed. */
  | { kind: 'break'; afterEvents: number }
  /** The answer ends in order, but too early. */
  | { kind: 'end'; afterEvents: number }
  | { kind: 'error'; afterEvents: number; type: string; message: string }
  /** Nothing comes any more; after 0 events there is not even a status line. */
  | { kind: 'hang'; afterEvents: number }
  /** Bytes without end, until the other side closes. */
  | { kind: 'flood'; afterEvents: number }

/** Replies in order, or a function of the request and its number (from 0). */
export type Script = readonly Reply[] | ((request: MessagesRequest, index: number) => Reply | Promise<Reply>)

export function replyOf(script: Script, request: MessagesRequest, index: number): Reply | Promise<Reply> {
  if (typeof script === 'function') return script(request, index)
  return (
    script[index] ?? { fault: refusal(400, 'invalid_request_error', `The script has no reply number ${index + 1}`) }
  )
}

export const refusal = (
  status: number,
  type: string,
  message: string,
  headers?: Record<string, string>,
): Extract<Fault, { kind: 'refuse' }> => ({ kind: 'refuse', status, type, message, ...(headers && { headers }) })

/** Failures of the API in its own shapes. */
export const faults = {
  rateLimit: (retryAfterSeconds?: number) =>
    refusal(
      429,
      'rate_limit_error',
      "This request would exceed your organization's rate limit",
      retryAfterSeconds === undefined ? undefined : { 'retry-after': String(retryAfterSeconds) },
    ),
  overload: () => refusal(529, 'overloaded_error', 'Overloaded'),
  serverError: (status = 500) => refusal(status, 'api_error', 'Internal server error'),
} as const
