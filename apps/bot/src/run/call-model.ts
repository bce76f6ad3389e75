// One step: the model is asked, what it says is shown as it comes, and its answer is recorded with what it cost and
// what people are sent of it, in one statement.
import { addUsage, recordLastStep, recordStep, type TokenUse, type TranscriptMessage } from '@quartermaster/db'
import { toAnthropicTools } from '@quartermaster/tools'
import { isSharedPlace } from '../channels/is-shared-place.ts'
import { ModelError, type ModelTool, type ModelTurn, type ModelUsage, resolveCost } from '../model/index.ts'
import { answerDeliveries } from '../reply/answer-deliveries.ts'
import { buildMessages } from './build-messages.ts'
import { markSpeakers } from './mark-speakers.ts'
import { patiently } from './patience.ts'
import { kept, LetGo, type RunInHand, type RunServices } from './run-services.ts'
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
    tools: await toolsOf(services, held),
    ...(finishUp ? { toolChoice: { type: 'none' as const } } : {}),
    ...(run.requestedBy ? { personId: run.requestedBy } : {}),
  }
  let contextStep = transcript.findLast(({ turn }) => turn)?.turn?.contextStep ?? 0
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
          onRestart({ keep }) {
            shown.text = shown.text.slice(0, keep)
            presenter.restart(step, keep)
          },
          onRetry: ({ waitMs }) =>
            presenter.status(`The model is busy. Trying again in ${Math.ceil(waitMs / 1000)} s.`),
        },
      )
      const full = turn.stopReason === 'model_context_window_exceeded'
      if (!full || tries === mostContextSteps) return turn
      // What it said so far is cut in the middle; it is asked again with less to read.
      await addUsage(db, run, await useOf(services, run.workspaceId, turn))
      shown.text = ''
      presenter.restart(step, 0)
      contextStep = turn.contextStep + 1
    }
  } catch (error) {
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

/** The tools that exist for this agent; how each call runs is decided when it is made. */
async function toolsOf(services: RunServices, held: RunInHand): Promise<ModelTool[]> {
  // Once a step: the calls that come of it are decided on by the same.
  held.calling = await services.composeCaller(held.run, held.taint)
  held.taint = held.calling.caller.policy.taint ?? null
  const { caller, policy } = held.calling
  const allowed = [...policy.resolve(services.registry, caller.policy)].filter(([, { verdict }]) => verdict !== 'deny')
  const { tools, leftOut } = toAnthropicTools(
    services.registry,
    allowed.map(([name]) => name),
    { cache: false },
  )
  if (leftOut.length) services.log.warn({ leftOut }, 'tools that the API would refuse were left out')
  return tools as ModelTool[]
}

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
