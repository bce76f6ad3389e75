// What becomes of one message, told until its run ends, waits for a person, or the time is over. The database says what
// happened; notices only say when to look, and bring the text before its message is stored.
import type { LiveEvent } from '@quartermaster/db'
import type { CardView } from '../question-card/view.ts'
import { runtime } from '../runtime.ts'
import { playgroundLimits as limits } from './limits.ts'
import { readSession } from './read-session.ts'
import type { RunView, SessionView } from './view.ts'

export type AnswerEvent =
  | { type: 'text'; text: string; step: number; from: number }
  | { type: 'restart'; step: number; keep: number }
  | { type: 'activity'; toolUseId: string; tool: string; title: string; state: string }
  /** The whole of a text, once it is stored: whoever missed a piece of it has it here. */
  | { type: 'message'; text: string }
  | { type: 'question'; question: CardView }
  | ({ type: 'end' } & AnswerEnd)

export interface AnswerEnd {
  conversationId: string
  runId: string | null
  /** `waiting`: a person has to answer `question` first. `running`: it took longer than this answer may take. */
  status: RunView['status']
  /** The last thing the agent said in answer to the message; null when it said nothing. */
  answer: string | null
  question: CardView | null
  error: string | null
}

export interface FollowedMessage {
  workspaceId: string
  memberId: string
  conversationId: string
  messageNumber: number
}

/** Looks this often even when nobody says that something changed. */
const lookMs = 2_000

export async function followAnswer(
  followed: FollowedMessage,
  emit: (event: AnswerEvent) => void,
  signal: AbortSignal,
): Promise<AnswerEnd> {
  const told = new Set<string>()
  const until = Date.now() + limits.chatMs
  let wake = () => {}
  let runId: string | null = null
  const stop = runtime().live.follow(
    followed,
    (event) => {
      if (event.kind !== 'live') return wake()
      const line = event.runId === runId ? renderLive(event.event) : null
      if (line) emit(line)
    },
    () => wake(),
  )
  try {
    for (;;) {
      const changed = new Promise<void>((done) => {
        wake = done
      })
      const run = await readRunOf(followed)
      runId = run?.id ?? null
      const view = await readSession(followed)
      if (view) tellNews(view, followed.messageNumber, runId, told, emit)
      const end = view && describeEnd(view, followed, run)
      const isOver = signal.aborted || Date.now() > until
      if (end && (isOver || isAtRest(end))) return end
      if (!end && isOver) throw new Error('the session is gone')
      await Promise.race([changed, sleep(lookMs, signal)])
    }
  } finally {
    stop()
  }
}

const isAtRest = ({ status, question }: AnswerEnd) =>
  status === 'succeeded' || status === 'failed' || status === 'stopped' || (status === 'waiting' && question !== null)

/** A message may pass to another run: the one that was there ended without having seen it. */
async function readRunOf(followed: FollowedMessage): Promise<Pick<RunView, 'id' | 'status' | 'error'> | null> {
  const { rows } = await runtime().db.pool.query(
    `SELECT r.id, r.status, coalesce(r.error_message, r.error_code) AS error
     FROM messages m JOIN runs r ON r.id = m.run_id
     WHERE m.conversation_id = $1 AND m.number = $2 AND m.workspace_id = $3`,
    [followed.conversationId, followed.messageNumber, followed.workspaceId],
  )
  return rows[0] ?? null
}

function tellNews(
  view: SessionView,
  messageNumber: number,
  runId: string | null,
  told: Set<string>,
  emit: (event: AnswerEvent) => void,
): void {
  for (const entry of entriesAfter(view, messageNumber)) {
    const state = entry.kind === 'activity' ? entry.call.state : ''
    const key = `${entry.key}:${state}`
    if (told.has(key)) continue
    told.add(key)
    if (entry.kind === 'answer' && entry.runId === runId) emit({ type: 'message', text: entry.text })
    if (entry.kind === 'notice') emit({ type: 'message', text: entry.text })
    if (entry.kind === 'question' && !entry.card.closed) emit({ type: 'question', question: entry.card })
    if (entry.kind === 'activity') {
      const { toolUseId, tool, title } = entry.call
      emit({ type: 'activity', toolUseId, tool, title, state })
    }
  }
}

function entriesAfter(view: SessionView, messageNumber: number) {
  const index = view.entries.findIndex((entry) => entry.key === `m${messageNumber}`)
  return view.entries.slice(index + 1)
}

function describeEnd(
  view: SessionView,
  followed: FollowedMessage,
  run: Pick<RunView, 'id' | 'status' | 'error'> | null,
): AnswerEnd {
  const after = entriesAfter(view, followed.messageNumber)
  const answer = after.findLast((entry) => entry.kind === 'answer')
  const question = view.entries.find((entry) => entry.kind === 'question' && !entry.card.closed)
  return {
    conversationId: followed.conversationId,
    runId: run?.id ?? null,
    status: run?.status ?? 'queued',
    answer: answer?.kind === 'answer' ? answer.text : null,
    question: question?.kind === 'question' ? question.card : null,
    error: run?.error ?? null,
  }
}

function renderLive(event: LiveEvent): AnswerEvent | null {
  if (event.kind === 'text') return { type: 'text', text: event.text, step: event.step, from: event.from }
  if (event.kind === 'restart') return { type: 'restart', step: event.step, keep: event.keep }
  return null
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const finish = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      done()
    }
    const timer = setTimeout(finish, ms)
    signal.addEventListener('abort', finish)
    if (signal.aborted) finish()
  })
}
