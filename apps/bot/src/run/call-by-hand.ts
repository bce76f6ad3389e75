// `!tool {json}`: somebody runs a tool by hand. The model is not asked: its answer is made here from what the person
// wrote, the calls are settled like any others (policy, question, record), and the last words are what they returned.
import { newId, recordLastStep, recordStep, type TranscriptMessage } from '@quartermaster/db'
import { fromApiName, toApiName } from '@quartermaster/tools'
import { parseToolLines } from '../parse-tool-lines.ts'
import { answerDeliveries } from '../reply/answer-deliveries.ts'
import { orderTranscript, toBlocks } from './build-messages.ts'
import { patiently } from './patience.ts'
import { kept, type RunInHand, type RunServices } from './run-services.ts'

/** Of a turn that was made by hand. It asks for tools like the model's `tool_use`, and nobody goes on after it. */
const byHand = 'by_hand'

export interface Spoken {
  message: TranscriptMessage
  ended: boolean
}

/** Null: what was said last is for the model. */
export async function callByHand(
  services: RunServices,
  held: RunInHand,
  transcript: readonly TranscriptMessage[],
): Promise<Spoken | null> {
  const ordered = orderTranscript(transcript)
  const last = ordered.at(-1)
  if (last?.role === 'tool') return await tellResults(services, held, transcript, ordered, last)
  const before = ordered.at(-2)
  // What others said and nobody has answered yet is for the model, with all the rest.
  if (last?.role !== 'user' || before?.role === 'user') return null
  const text = onlyTextOf(last.content) ?? ''
  const lines = parseToolLines(text)
  // "!nice" is no tool; with arguments it is one that somebody misspelt, and they are told.
  if (!lines || (!text.includes('{') && lines.some(({ name }) => !services.registry.find(name)))) return null
  const wrong = lines.filter(({ input }) => input === null)
  if (wrong.length)
    return await speak(
      services,
      held,
      transcript,
      wrong.map(({ name }) => `What follows \`${name}\` is no JSON object.`).join('\n'),
    )
  const content = lines.map(({ name, input }) => ({
    type: 'tool_use',
    id: newId('toolu'),
    name: toApiName(name),
    input,
  }))
  return await record(services, held, transcript, { content, stopReason: byHand, markdown: null })
}

/** What somebody wrote, if they wrote nothing else: a file that came along is something to talk about. */
function onlyTextOf(content: unknown): string | null {
  const blocks = toBlocks(content)
  const [block] = blocks
  return blocks.length === 1 && block?.type === 'text' ? String(block.text) : null
}

async function tellResults(
  services: RunServices,
  held: RunInHand,
  transcript: readonly TranscriptMessage[],
  ordered: readonly TranscriptMessage[],
  results: TranscriptMessage,
): Promise<Spoken | null> {
  const at = ordered.findLastIndex(({ role }) => role === 'assistant')
  const answer = ordered[at]
  if (answer?.turn?.stopReason !== byHand || answer.runId !== held.run.runId) return null
  // Somebody spoke meanwhile: the model answers them, and has the results before it.
  if (ordered.slice(at + 1).some(({ role }) => role === 'user')) return null
  const names = new Map(toBlocks(answer.content).map((use) => [use.id, String(use.name)]))
  const told = toBlocks(results.content).map((block) => describeResult(services, block, names))
  return await speak(services, held, transcript, told.join('\n\n'))
}

function describeResult(services: RunServices, block: Record<string, unknown>, names: Map<unknown, string>): string {
  const apiName = names.get(block.tool_use_id) ?? 'the tool'
  const name = services.registry.find(apiName)?.tool.name ?? fromApiName(apiName) ?? apiName
  const text = textIn(block.content).trim()
  if (block.is_error) return `\`${name}\` was not done. ${text}`
  // A fence that is longer than any in the output cannot be closed by it.
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)))
  return `\`${name}\` returned:\n${fence}\n${text}\n${fence}`
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  return toBlocks(content)
    .map((part) => (part.type === 'text' ? String(part.text) : `[${part.type}]`))
    .join('\n')
}

const speak = (services: RunServices, held: RunInHand, transcript: readonly TranscriptMessage[], markdown: string) =>
  record(services, held, transcript, { content: [{ type: 'text', text: markdown }], stopReason: 'end_turn', markdown })

async function record(
  services: RunServices,
  held: RunInHand,
  transcript: readonly TranscriptMessage[],
  said: { content: unknown[]; stopReason: string; markdown: string | null },
): Promise<Spoken> {
  const { run, context, presenter } = held
  const step = run.steps + 1
  const seen = transcript.at(-1)?.number ?? 0
  const contextStep = transcript.findLast(({ turn }) => turn)?.turn?.contextStep ?? 0
  const turn = { seen, stopReason: said.stopReason, contextStep }
  const answer = {
    content: said.content,
    turn,
    use: { inputTokens: 0, outputTokens: 0, costMicros: 0 },
    after: run.steps,
    data: { stopReason: said.stopReason, byHand: true },
    deliveries:
      said.markdown === null || run.parentRunId
        ? []
        : answerDeliveries(
            { markdown: said.markdown, step, last: true },
            services.limitsOf(context.place.channelKind),
          ).map((payload) => ({ kind: payload.kind, payload })),
  }
  const recorded = await patiently(async () =>
    said.markdown === null
      ? { ...kept(await recordStep(services.db, run, answer), run), ended: false }
      : recordLastStep(services.db, run, { ...answer, seen }),
  )
  const { number, ended } = kept(recorded, run)
  run.steps = step
  presenter.stepEnd(step)
  services.atPoint('step-recorded')
  return { message: { number, role: 'assistant', content: said.content, runId: run.runId, turn }, ended }
}
