import { Anthropic } from '@anthropic-ai/sdk'
import { defaultPrices, defaultTiers, type Prices, type Tiers } from '@quartermaster/db'
import { limits } from '../limits.ts'
import { type AssembledMessage, MessageAssembly } from './assemble-message.ts'
import { resolveBackoff, waitUnlessAborted } from './backoff.ts'
import { type BuiltRequest, buildRequest } from './build-request.ts'
import type { Model, ModelRequest, ModelTurn, StreamOptions } from './model.ts'
import { aborted, explainModelFailure, ModelError } from './model-error.ts'
import { resolveCost } from './prices.ts'
import { ShownProgress } from './shown-progress.ts'
import { lastContextStep } from './shrink-messages.ts'
import { addUsage, type ModelUsage, noUsage, promptTokens } from './usage.ts'
import { createWatchedFetch } from './watched-fetch.ts'

export interface AnthropicModelOptions {
  apiKey: string
  /** Another server that speaks the same API. */
  baseUrl?: string
  tiers?: Tiers
  prices?: Prices
  /** Whether the server edits long conversations by itself; by default only Anthropic's own does. */
  contextEdits?: boolean
  /** Whether the server has the API's own tools; by default only Anthropic's own is taken to. */
  serverTools?: boolean
  /** How often one turn is tried. */
  attempts?: number
  backoffMs?: number
  idleMs?: number
  beginMs?: number
  maxResponseBytes?: number
}

const anthropicUrl = 'https://api.anthropic.com'

/** The model port on the Messages API, through the provider's own SDK. */
export function createAnthropicModel(options: AnthropicModelOptions): Model {
  const client = new Anthropic({
    apiKey: options.apiKey,
    baseURL: options.baseUrl ?? anthropicUrl,
    // The SDK shows the key as a bearer token; other servers of this API may only know the older header.
    ...(options.baseUrl && { defaultHeaders: { 'x-api-key': options.apiKey } }),
    // Attempts are counted, waited for and told here: the SDK would begin a broken stream anew without telling.
    maxRetries: 0,
    timeout: options.beginMs ?? limits.modelBeginMs,
    logLevel: 'off',
    openTelemetry: false,
    fetch: createWatchedFetch({
      idleMs: options.idleMs ?? limits.modelIdleMs,
      maxBytes: options.maxResponseBytes ?? limits.modelResponseBytes,
    }),
    // A redirect would carry the key to wherever it points.
    fetchOptions: { redirect: 'error' },
  })
  const isAnthropics = (options.baseUrl ?? anthropicUrl) === anthropicUrl
  const settings = {
    tiers: options.tiers ?? defaultTiers,
    prices: options.prices ?? defaultPrices,
    contextEdits: options.contextEdits ?? isAnthropics,
    backoff: {
      attempts: options.attempts ?? limits.modelAttempts,
      firstMs: options.backoffMs ?? limits.modelBackoffMs,
      longestMs: limits.modelBackoffMaxMs,
      longestAskedMs: limits.modelRetryAfterMaxMs,
    },
  }
  return {
    serverTools: options.serverTools ?? isAnthropics,
    stream: (request, streamOptions) => streamTurn(client, settings, request, streamOptions),
  }
}

interface Settings {
  tiers: Tiers
  prices: Prices
  contextEdits: boolean
  backoff: Parameters<typeof resolveBackoff>[2]
}

/**
 * The attempts of one turn. A failure that passes is waited for; a conversation that is too long is sent again with
 * less in it; anything else ends the turn.
 */
async function streamTurn(
  client: Anthropic,
  settings: Settings,
  request: ModelRequest,
  options: StreamOptions,
): Promise<ModelTurn> {
  const progress = new ShownProgress(options)
  let contextStep = request.contextStep ?? 0
  let spent = noUsage
  let failures = 0
  let answering = ''
  for (let attempts = 1; ; attempts++) {
    const built = buildRequest(request, contextStep, settings)
    const outcome = await tryOnce(client, built, progress, options)
    spent = addUsage(spent, outcome.usage)
    // Who answers is told at the start of an answer, and may differ from who was asked.
    answering = outcome.model || answering
    const cost = resolveCost(spent, [answering, built.params.model], settings.prices)
    if (outcome.message) {
      progress.endTurn()
      const { usage: _, ...message } = outcome.message
      return {
        ...message,
        usage: spent,
        ...cost,
        promptTokens: promptTokens(outcome.usage),
        contextStep: built.contextStep,
        attempts,
        requestId: outcome.requestId,
      }
    }
    const { error } = outcome
    const failed = (last: ModelError) => Object.assign(last, { usage: spent, attempts, costMicros: cost.costMicros })
    if (error.kind === 'context_exceeded' && built.contextStep < lastContextStep) {
      contextStep = nextStep(request, built, settings)
      if (contextStep > built.contextStep) continue
    }
    failures++
    const waitMs = resolveBackoff(error, failures, settings.backoff)
    if (waitMs === null) throw failed(error)
    options.onRetry?.({ attempt: attempts, kind: error.kind, waitMs })
    await waitUnlessAborted(waitMs, options.signal).catch((stopped: ModelError) => {
      throw failed(stopped)
    })
  }
}

/** The next step of leaving out that makes the request smaller at all; this one when there is none. */
function nextStep(request: ModelRequest, built: BuiltRequest, settings: Settings): number {
  for (let step = built.contextStep + 1; step <= lastContextStep; step++)
    if (buildRequest(request, step, settings).bytes < built.bytes) return step
  return built.contextStep
}

type Outcome = { usage: ModelUsage; model: string; requestId: string | null } & (
  | { message: AssembledMessage; error?: never }
  | { message?: never; error: ModelError }
)

/** Throws only what a listener threw. */
async function tryOnce(
  client: Anthropic,
  built: BuiltRequest,
  progress: ShownProgress,
  { signal }: StreamOptions,
): Promise<Outcome> {
  const listening = new ListenerGuard(progress)
  const assembly = new MessageAssembly(listening)
  let requestId: string | null = null
  let lingering: NodeJS.Timeout | undefined
  progress.beginAttempt()
  try {
    if (signal.aborted) throw aborted()
    const { data: stream, response } = await open(client, built, signal)
    requestId = response.headers.get('request-id')
    for await (const event of stream) {
      // The reader may hold events that arrived before the stop; nobody wants to see them.
      if (signal.aborted) break
      assembly.add(event)
      // Read to its end, the connection can serve the next turn. A server that never ends it must not hold this one up.
      if (event.type === 'message_stop') lingering = setTimeout(() => stream.controller.abort(), limits.modelLingerMs)
    }
    // The SDK ends an aborted stream as if it were over.
    if (signal.aborted) throw aborted()
    const message = assembly.finish()
    if (message) return { message, usage: message.usage, model: message.model, requestId }
    throw new ModelError('unreachable', 'The connection to the model broke off.', { passing: true, requestId })
  } catch (failure) {
    if (listening.thrown) throw listening.thrown.error
    const message = signal.aborted ? null : assembly.finish()
    // A connection that breaks after the last word has cost nothing.
    if (message) return { message, usage: message.usage, model: message.model, requestId }
    const error = signal.aborted ? aborted() : explainModelFailure(failure)
    return {
      error,
      usage: assembly.usageSoFar(),
      model: assembly.model,
      requestId: error.requestId ?? requestId,
    }
  } finally {
    clearTimeout(lingering)
  }
}

type Opened = Promise<{
  data: AsyncIterable<Anthropic.Beta.BetaRawMessageStreamEvent> & { controller: AbortController }
  response: Response
}>

function open(client: Anthropic, { params, betas }: BuiltRequest, signal: AbortSignal): Opened {
  if (betas.length) return client.beta.messages.create({ ...params, betas }, { signal }).withResponse()
  // Everything that a plain request and its answer hold is the same in both.
  return client.messages.create(params as Anthropic.MessageCreateParamsStreaming, { signal }).withResponse() as Opened
}

/** Remembers what a listener throws: that is a fault of ours, and must not be taken for one of the network. */
class ListenerGuard {
  thrown: { error: unknown } | null = null
  readonly #progress: ShownProgress

  constructor(progress: ShownProgress) {
    this.#progress = progress
  }

  text(text: string): void {
    this.#guard(() => this.#progress.text(text))
  }

  toolStart(tool: Parameters<ShownProgress['toolStart']>[0]): void {
    this.#guard(() => this.#progress.toolStart(tool))
  }

  #guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.thrown = { error }
      throw error
    }
  }
}
