import type { IncomingHttpHeaders } from 'node:http'
import {
  answerOffline,
  authorize,
  checkRequest,
  estimateTokens,
  type Fault,
  faults,
  type MessagesRequest,
  type ReceivedRequest,
  type Refusal,
  type Reply,
  refusal,
  replyOf,
  type Script,
  serveMessages,
} from '@quartermaster/bot/offline-model'
import { PromptCache } from './prompt-cache.ts'

export interface AnthropicEmulatorOptions {
  /** What the model says; by default what the offline model would. */
  script?: Script
  apiKeys?: readonly string[]
  models?: readonly string[]
  /** The size of the models' window. */
  contextTokens?: number
  maxOutputTokens?: number
  maxBodyBytes?: number
  /** More requests than this in a second are refused, and told when to come back. */
  requestsPerSecond?: number
}

export interface AnthropicEmulator {
  baseUrl: string
  apiKey: string
  /** The last thousand requests, refused ones too. */
  requests: ReceivedRequest[]
  /** Goes wrong in these ways, one a request, before the script is asked again. */
  failNext(...faults: Fault[]): void
  /** What the model says from now on; a list begins at its beginning. */
  say(script: Script): void
  close(): Promise<void>
}

export const apiVersion = '2026-10-21'
/** The API's own limit of a request. */
const apiBodyBytes = 32 * 1024 * 1024
/** Bodies are kept for assertions; in a long bench the oldest go. */
const mostRecorded = 1000

/**
 * The Anthropic API on loopback, as strict as the real one: what it takes, the API takes. It differs in what it says,
 * which is a script, and in what goes wrong, which a test decides.
 */
export async function startAnthropicEmulator(options: AnthropicEmulatorOptions = {}): Promise<AnthropicEmulator> {
  const apiKeys = options.apiKeys ?? ['sk-ant-emulated-0123456789']
  const contextTokens = options.contextTokens ?? 1_000_000
  const requests: ReceivedRequest[] = []
  const planned: Fault[] = []
  const cache = new PromptCache()
  let script = options.script ?? answerOffline
  let scriptStart = 0
  let asked = 0
  const isOverRate = countRate(options.requestsPerSecond)

  const server = await serveMessages({
    authorize: (headers) => authorize(headers, apiKeys) ?? checkVersion(headers),
    check: (body, headers) => {
      const refused = checkRequest(body, {
        betas: String(headers['anthropic-beta'] ?? '').split(/\s*,\s*/),
        models: options.models ?? ['claude-haiku-5-5', 'claude-sonnet-5-5', 'claude-opus-5-5'],
        maxOutputTokens: options.maxOutputTokens ?? 128_000,
      })
      return refused ?? checkWindow(body as MessagesRequest, contextTokens) ?? isOverRate()
    },
    async reply(request): Promise<Reply> {
      const fault = planned.shift()
      if (fault?.kind === 'refuse') return { fault }
      const reply = await replyOf(script, request, asked++ - scriptStart)
      return fault ? { ...reply, fault } : reply
    },
    modelName: ({ model }) => model,
    countInput: (request) => cache.count(request),
    maxBodyBytes: options.maxBodyBytes ?? apiBodyBytes,
    onRequest(request) {
      if (requests.length >= mostRecorded) requests.shift()
      requests.push(request)
    },
  })
  return {
    baseUrl: server.url,
    apiKey: apiKeys[0] as string,
    requests,
    failNext: (...next) => void planned.push(...next),
    say(next) {
      script = next
      scriptStart = asked
    },
    close: server.close,
  }
}

function checkVersion(headers: IncomingHttpHeaders): Refusal | null {
  const version = headers['anthropic-version']
  if (!version) return refusal(400, 'invalid_request_error', 'anthropic-version: header is required')
  if (version !== apiVersion)
    return refusal(400, 'invalid_request_error', `anthropic-version: "${version}" is not a valid version`)
  return null
}

function checkWindow(request: MessagesRequest, contextTokens: number): Refusal | null {
  const tokens = estimateTokens([request.system, request.tools, request.messages])
  if (tokens <= contextTokens) return null
  return refusal(400, 'invalid_request_error', `prompt is too long: ${tokens} tokens > ${contextTokens} maximum`)
}

function countRate(perSecond = Number.POSITIVE_INFINITY): () => Refusal | null {
  let second = 0
  let count = 0
  return () => {
    const now = Math.floor(Date.now() / 1000)
    if (now !== second) count = 0
    second = now
    count++
    return count > perSecond ? faults.rateLimit(1) : null
  }
}
