// One model call of a run, and one message of somebody: what the panel beside the waterfall shows of them.
import { data } from '../data.ts'
import { describeArguments } from '../describe-arguments.ts'
import { runtime } from '../runtime.ts'
import { modelCalls, readEvents } from './read-timeline.ts'

export interface StepView {
  number: number
  model: string | null
  byHand: boolean
  /** What it wrote; null where it wrote nothing, or has not answered. */
  text: string | null
  /** What it asked for. */
  uses: { name: string; input: string }[]
  inputTokens: number | null
  outputTokens: number | null
  costMicros: number | null
  stopReason: string | null
  attempts: number | null
  from: Date
  to: Date | null
}

interface Of {
  workspaceId: string
  runId: string
}

type Block = { type?: unknown; text?: unknown; name?: unknown; input?: unknown } | null

const blocksOf = (content: unknown): Block[] => (Array.isArray(content) ? content : [{ type: 'text', text: content }])

const textIn = (content: unknown): string | null =>
  blocksOf(content)
    .flatMap((block) => (block?.type === 'text' && typeof block.text === 'string' ? [block.text] : []))
    .join('\n\n')
    .trim() || null

/** Null when the run has no such step. */
export async function readStep(
  run: Of & { status: Parameters<typeof modelCalls>[1]; last: Date },
  number: number,
): Promise<StepView | null> {
  const { db } = runtime()
  const [events, { rows }] = await Promise.all([
    readEvents(run.workspaceId, run.runId),
    db.pool.query(
      `SELECT content, turn ->> 'stopReason' AS stop FROM messages w
       WHERE w.conversation_id = (SELECT conversation_id FROM runs WHERE id = $1 AND workspace_id = $2) AND w.run_id = $1
         AND w.role = 'assistant' ORDER BY w.number OFFSET $3 LIMIT 1`,
      [run.runId, run.workspaceId, Math.max(number - 1, 0)],
    ),
  ])
  const call = modelCalls(events, run.status, run.last).find((one) => one.number === number)
  if (!call) return null
  const about = events.find(({ kind, data: told }) => kind === 'model-end' && told.step === number)?.data ?? {}
  const message = call.to ? rows[0] : undefined
  const count = (value: unknown) => (typeof value === 'number' ? value : null)
  const stopReason = about.stopReason ?? message?.stop
  return {
    number,
    model: call.model,
    byHand: call.byHand,
    text: message ? textIn(message.content) : null,
    uses: blocksOf(message?.content).flatMap((block) =>
      block?.type === 'tool_use' ? [{ name: String(block.name), input: describeArguments(block.input ?? {}) }] : [],
    ),
    inputTokens: count(about.inputTokens),
    outputTokens: count(about.outputTokens),
    costMicros: count(about.costMicros),
    stopReason: typeof stopReason === 'string' ? stopReason : null,
    attempts: count(about.attempts),
    from: call.from,
    to: call.to,
  }
}

export interface MessageView {
  by: string
  text: string | null
  /** Names of what came with it. */
  files: string[]
  at: Date
}

export async function readMessage(run: Of, number: number): Promise<MessageView | null> {
  const { rows } = await runtime().db.pool.query(
    `SELECT w.content, w.created_at, coalesce(m.name, 'Somebody') AS name FROM messages w LEFT JOIN members m ON m.id = w.member_id
     WHERE w.conversation_id = (SELECT conversation_id FROM runs WHERE id = $1 AND workspace_id = $2) AND w.run_id = $1
       AND w.number = $3 AND w.role = 'user'`,
    [run.runId, run.workspaceId, number],
  )
  const row = rows[0]
  if (!row) return null
  const texts = blocksOf(row.content).flatMap((block) => (typeof block?.text === 'string' ? [block.text] : []))
  const files = texts.flatMap((text) => data.attachedFileName(text) ?? [])
  const said = texts.filter((text) => data.attachedFileName(text) === null)
  return { by: row.name, text: said.join('\n\n').trim() || null, files, at: row.created_at }
}
