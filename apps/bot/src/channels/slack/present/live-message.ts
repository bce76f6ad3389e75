// One message on Slack in which work is shown: a stream while it flows, and edited like any other message once the
// stream has ended or its text has to be taken back, which a stream cannot do.
import type { AnyChunk, KnownBlock, TaskUpdateChunk } from '@slack/types'
import type { WebClient } from '@slack/web-api'
import type { SlackPlace } from '../deliver/slack-place.ts'
import { limits } from '../limits.ts'
import { clip } from '../render/clip.ts'
import { disarm } from '../render/mrkdwn.ts'
import { contextOf, fallbackOf, workLine } from '../render/render-answer.ts'
import type { StreamNote, WorkTask } from './stream-note.ts'

export interface ShownTask extends WorkTask {
  id: string
  /** What came of it, in a line. */
  line?: string | undefined
}

/** What is to be seen. */
export interface Page {
  /** Of the step that the text belongs to; null while there is none. */
  step: number | null
  text: string
  tasks: Map<string, ShownTask>
  /** Nothing more comes. */
  ended: boolean
  /** It cannot be shown, or is somebody else's to show by now. */
  muted: boolean
  live: LiveMessage | null
}

export interface LiveMessage {
  key: string
  ts: string
  mode: 'stream' | 'edit'
  startedAt: number
  lastCallAt: number
  /** What the message says, as far as we know. */
  shown: { text: string; tasks: Map<string, string> }
}

/** Of a message that shows work and is no delivery: so that nobody takes it for a stream whose process was lost. */
export const workMetadata = { event_type: 'qm_work', event_payload: {} }

/** What a person can be shown of a page. */
export const textOf = ({ text }: Page): string => clip(disarm(text), limits.streamText)

export const tasksOf = ({ tasks }: Page): ShownTask[] => [...tasks.values()].slice(-limits.tasks)

const stateOf = (task: ShownTask) => JSON.stringify([task.title, task.state])

/** What is new on the page since the message was last written to; null: it has to be written anew, by an edit. */
export function newChunks(page: Page, shown: LiveMessage['shown']): AnyChunk[] | null {
  const text = textOf(page)
  // The ellipsis of a full message is not repeated.
  if (!text.startsWith(shown.text)) return shown.text.endsWith('…') && text.endsWith('…') ? [] : null
  const more = text.slice(shown.text.length)
  const tasks = tasksOf(page).filter((task) => shown.tasks.get(task.id) !== stateOf(task))
  return [...tasks.map(taskChunk), ...(more ? [{ type: 'markdown_text' as const, text: more }] : [])]
}

export const shownOf = (page: Page): LiveMessage['shown'] => ({
  text: textOf(page),
  tasks: new Map(tasksOf(page).map((task) => [task.id, stateOf(task)])),
})

const statuses = { running: 'in_progress', waiting: 'pending', done: 'complete', failed: 'error' } as const

function taskChunk({ id, title, state, line }: ShownTask): TaskUpdateChunk {
  const ended = state === 'done' || state === 'failed'
  return {
    type: 'task_update',
    id: clip(id, 200),
    title: clip(title, limits.taskText) || 'A tool',
    status: statuses[state],
    ...(ended && line ? { output: clip(line, limits.taskText) } : {}),
  }
}

/** The whole page as blocks, for an edit. */
function pageBlocks(page: Page): KnownBlock[] {
  const text = textOf(page)
  const work = workLine(tasksOf(page))
  const blocks = [...(work ? [contextOf(work)] : []), ...(text.trim() ? [{ type: 'markdown' as const, text }] : [])]
  return blocks.length ? blocks : [contextOf('…')]
}

export function editMessage(client: WebClient, { channel }: SlackPlace, ts: string, page: Page) {
  const text = fallbackOf(page.text || workLine(tasksOf(page)))
  return client.chat.update({ channel, ts, text, blocks: pageBlocks(page), metadata: workMetadata })
}

/** For the note. */
export function noteOf(
  page: Page,
  runId: string,
  live: Pick<LiveMessage, 'key' | 'startedAt'>,
  ts: string | null,
): StreamNote {
  const tasks = tasksOf(page).map(({ title, state }) => ({ title: clip(title, limits.taskText), state }))
  return { key: live.key, runId, step: page.step, ts, since: live.startedAt, tasks }
}
