// One step: the model is asked, what it says is shown as it comes, and its answer is recorded with what it cost and
// what people are sent of it, in one statement.
import { addUsage, recordLastStep, recordStep, type TokenUse, type TranscriptMessage } from '@quartermaster/db'
import { toAnthropicTools } from '@quartermaster/tools'
import { isSharedPlace } from '../channels/is-shared-place.ts'
import { limits } from '../limits.ts'
import {
  ModelError,
  type ModelTool,
  type ModelTurn,
  type ModelUsage,
  resolveCost,
  type WebSearch,
} from '../model/index.ts'
import { answerDeliveries } from '../reply/answer-deliveries.ts'
import { buildMessages } from './build-messages.ts'
import { markSpeakers } from './mark-speakers.ts'
import { patiently } from './patience.ts'
import { kept, LetGo, type RunInHand, type RunServices } from './run-services.ts'
import { offerSearch, recordSearches, searchesIn, searchTool, serverSearchName } from './server-search.ts'
import { systemPrompt } from './system-prompt.ts'

/** How often a conversation that still does not fit is sent again with less in it, in one step. */
const mostContextSteps = 6

export interface CallOptions {
  /** A budget is used up and people said "finish up": no more tools. */
  finishUp: boolean
}

/** The recorded answer, as it now stands in the transcript; `ended`: it was the last word, and the run ended with it. */
export async function callModel(
  services: RunServices,
  held: RunInHand,
  transcript: readonly TranscriptMessage[],
  options: CallOptions,
): Promise<{ message: TranscriptMessage; ended: boolean }> {
  const { db } = services
  const { run, presenter } = held
  const step = run.steps + 1
  const startedAt = new Date()
  const shown = { text: '' }
  const turn = await askModel(services, held, transcript, step, options, shown).catch(async (error: unknown) => {
    if (held.signal.reason === 'stop') await recordCutShort(services, held, transcript, shown.text, startedAt)
    throw error
  })
  services.atPoint('model-answered')
  const seen = transcript.at(-1)?.number ?? 0
  const { content, stopReason, contextStep, brokenToolUses } = turn
  await recordSearches(services, held, searchesIn(content, transcript), { step, startedAt })
  const broken = brokenToolUses.map(({ id, reason, received }) => ({ id, reason, received }))
  const about = { seen, stopReason, contextStep, ...(broken.length ? { broken } : {}) }
  // The model has said all: the run ends in the same statement, unless people wrote meanwhile.
  const last = stopReason === 'end_turn' && !content.some(({ type }) => type === 'tool_use')
  const deliveries = deliveriesOf(services, held, textOf(turn), step, last)
  const answer = {
    content,
    turn: about,
    use: await useOf(services, run.workspaceId, turn),
    after: run.steps,
    startedAt,
    deliveries,
    data: { model: turn.model, attempts: turn.attempts, stopReason, promptTokens: turn.promptTokens },
  }
  if (last) services.atPoint('before-finish')
  const recorded = await patiently(async () =>
    last
      ? recordLastStep(db, run, { ...answer, seen })
      : { ...kept(await recordStep(db, run, answer), run), ended: false },
  )
  const { number, costMicros, ended } = kept(recorded, run)
  run.steps = step
  run.costMicros = costMicros
  presenter.stepEnd(step)
  services.atPoint('step-recorded')
  return { message: { number, role: 'assistant', content, runId: run.runId, turn: about }, ended }
}

/** What people are sent of an answer. A child speaks to its parent, which reads its last message. */
function deliveriesOf(
  services: RunServices,
  { run, context }: RunInHand,
  markdown: string,
  step: number,
  last = false,
) {
  if (run.parentRunId) return []
  const payloads = answerDeliveries({ markdown, step, last }, services.limitsOf(context.place.channelKind))
  return payloads.map((payload) => ({ kind: payload.kind, payload }))
}

/** Somebody stopped the model in mid-sentence. What people have read stays: in the chat, and for the model. */
async function recordCutShort(
  services: RunServices,
  held: RunInHand,
  transcript: readonly TranscriptMessage[],
  shown: string,
  startedAt: Date,
): Promise<void> {
  const text = shown.trim()
  if (!text) return
  const { run } = held
  const stopReason = 'stopped'
  const contextStep = transcript.findLast(({ turn }) => turn)?.turn?.contextStep ?? 0
  const recorded = await patiently(() =>
    recordStep(services.db, run, {
      content: [{ type: 'text', text }],
      turn: { seen: transcript.at(-1)?.number ?? 0, stopReason, contextStep },
      // What it cost was counted where the model gave up.
      use: { inputTokens: 0, outputTokens: 0, costMicros: 0 },
      after: run.steps,
      startedAt,
      deliveries: deliveriesOf(services, held, text, run.steps + 1),
      data: { stopReason },
    }),
  )
  kept(recorded, run)
  run.steps += 1
}

async function askModel(
  services: RunServices,
  held: RunInHand,
  transcript: readonly TranscriptMessage[],
  step: number,
  { finishUp }: CallOptions,
  /** What people have been shown so far. */
  shown: { text: string },
): Promise<ModelTurn> {
  const { db, model } = services
  const { run, context, presenter, signal, leaving } = held
  const speakers = await speakersOf(services, held, transcript)
  const request = {
    model: context.version?.model ?? 'balanced',
    system: systemPrompt(context, new Date(), speakers !== null) + (finishUp ? finishUpNote : ''),
    messages: buildMessages(speakers ? markSpeakers(transcript, speakers) : transcript),
    ...(await toolsOf(services, held)),
    ...(finishUp ? { toolChoice: { type: 'none' as const } } : {}),
    ...(run.requestedBy ? { personId: run.requestedBy } : {}),
  }
  let contextStep = transcript.findLast(({ turn }) => turn)?.turn?.contextStep ?? 0
  const searching = showSearching(services, held)
  try {
    for (let tries = 1; ; tries++) {
      const turn = await model.stream(
        { ...request, contextStep },
        {
          signal: AbortSignal.any([signal, leaving]),
          onText(text) {
            shown.text += text
            presenter.text(step, text)
            services.atPoint('model-streaming')
          },
          onToolStart: ({ id, name }) => name === serverSearchName && searching.begin(id),
          onRestart({ keep }) {
            searching.end([])
            shown.text = shown.text.slice(0, keep)
            presenter.restart(step, keep)
          },
          onRetry: ({ waitMs }) =>
            presenter.status(`The model is busy. Trying again in ${Math.ceil(waitMs / 1000)} s.`),
        },
      )
      searching.end(searchesIn(turn.content, transcript))
      const full = turn.stopReason === 'model_context_window_exceeded'
      if (!full || tries === mostContextSteps) return turn
      // What it said so far is cut in the middle; it is asked again with less to read.
      await addUsage(db, run, await useOf(services, run.workspaceId, turn))
      shown.text = ''
      presenter.restart(step, 0)
      contextStep = turn.contextStep + 1
    }
  } catch (error) {
    searching.end([])
    if (error instanceof ModelError && error.attempts)
      // It left no message, and is paid for all the same.
      await addUsage(db, run, { ...tokensOf(error.usage), costMicros: error.costMicros }).catch(() => false)
    if (leaving.aborted && !signal.aborted) throw new LetGo('the process stops')
    throw error
  }
}

const finishUpNote =
  '\n\nThe budget for this work is used up. Use no more tools: say now what was done, what was found and what is left.'

/** The names of those who wrote in a place where several people can; null in any other, and where a run works for another. */
async function speakersOf(services: RunServices, held: RunInHand, transcript: readonly TranscriptMessage[]) {
  const { run, context } = held
  if (run.parentRunId || !isSharedPlace(context.place)) return null
  const ids = new Set(transcript.flatMap(({ memberId }) => memberId ?? []))
  return await services.namesOf(run.workspaceId, [...ids])
}

/** What people see of the searches that the provider makes. One that never brought a result has failed. */
function showSearching({ registry }: RunServices, { presenter }: RunInHand) {
  const begun = new Set<string>()
  const title = registry.get(searchTool)?.title ?? searchTool
  const show = (toolUseId: string, state: 'running' | 'done' | 'failed') =>
    presenter.activity({ toolUseId, tool: searchTool, title, state })
  return {
    begin(toolUseId: string): void {
      begun.add(toolUseId)
      show(toolUseId, 'running')
    },
    end(found: ReturnType<typeof searchesIn>): void {
      for (const { toolUseId, failed } of found) if (failed === null && begun.delete(toolUseId)) show(toolUseId, 'done')
      for (const toolUseId of begun) show(toolUseId, 'failed')
      begun.clear()
    },
  }
}

interface OfferedTools {
  tools: ModelTool[]
  webSearch?: WebSearch
}

/** The tools that exist for this agent; how each call runs is decided when it is made. */
async function toolsOf(services: RunServices, held: RunInHand): Promise<OfferedTools> {
  // Once a step: the calls that come of it are decided on by the same.
  held.calling = await services.composeCaller(held.run, held.taint)
  held.taint = held.calling.caller.policy.taint ?? null
  const { caller, policy } = held.calling
  const webSearch = offerSearch(services, held.calling)
  const names = [...policy.resolve(services.registry, caller.policy)].flatMap(([name, { verdict }]) =>
    verdict === 'deny' || (webSearch && name === searchTool) ? [] : [name],
  )
  const deferring = services.model.serverTools && { deferAbove: limits.loadedTools, keep: alwaysLoaded(names) }
  const { tools, leftOut } = toAnthropicTools(services.registry, names, { cache: false, ...deferring })
  if (leftOut.length) services.log.warn({ leftOut }, 'tools that the API would refuse were left out')
  return { tools: tools as ModelTool[], ...(webSearch && { webSearch }) }
}

/** Of very many tools our own are loaded, and those of other people's servers are found when they are needed. */
const alwaysLoaded = (names: readonly string[]): string[] =>
  names
    .filter((name) => !name.includes(':'))
    .sort()
    .slice(0, limits.loadedTools)

async function useOf(services: RunServices, workspaceId: string, turn: ModelTurn): Promise<TokenUse> {
  const prices = await services.pricesOf(workspaceId)
  const { costMicros } = prices ? resolveCost(turn.usage, [turn.model], prices) : turn
  return { ...tokensOf(turn.usage), costMicros }
}

const tokensOf = (usage: ModelUsage) => ({
  inputTokens: usage.inputTokens + usage.cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens,
  outputTokens: usage.outputTokens,
})

export function textOf({ content }: Pick<ModelTurn, 'content'>): string {
  return content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('')
    .trim()
}
