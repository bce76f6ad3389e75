import type { ConversationPage, ReadMessage } from '@quartermaster/db'
import { data } from '../data.ts'
import { type FoundCard, readCards } from '../question-card/read-cards.ts'
import { runtime } from '../runtime.ts'
import { playgroundLimits as limits } from './limits.ts'
import { type CopiedResult, type FoundCall, readCalls, renderCall } from './read-calls.ts'
import { fileNameIn } from './read-content.ts'
import { renderSentFile } from './sent-files.ts'
import type { Entry, FileView, SessionView } from './view.ts'

interface WantedSession {
  workspaceId: string
  memberId: string
  conversationId: string
  /** As a view before gave it. */
  before?: string
}

/** The session as its member sees it; null when it is not one of theirs. */
export async function readSession(wanted: WantedSession): Promise<SessionView | null> {
  const { workspaceId, memberId, conversationId } = wanted
  const before = parsePosition(wanted.before)
  const page = await data.readConversation(runtime().db, {
    workspaceId,
    memberId,
    conversationId,
    limit: limits.entries,
    ...(before ? { before } : {}),
  })
  if (!page) return null
  const runIds = [...new Set(page.messages.flatMap((message) => message.runId ?? []))]
  if (page.run && !wanted.before && !runIds.includes(page.run.id)) runIds.push(page.run.id)
  const [about, calls, cards] = await Promise.all([
    readAbout(workspaceId, page),
    readCalls(workspaceId, runIds),
    readCards({ workspaceId, memberId }, runIds),
  ])
  if (!about) return null
  return {
    id: page.conversation.id,
    title: page.conversation.title,
    agent: about.agent,
    entries: renderEntries(page, { names: about.names, calls, cards }),
    run: page.run && {
      id: page.run.id,
      status: page.run.status,
      stopRequested: page.run.stopRequested,
      error: page.run.errorMessage ?? page.run.errorCode,
    },
    before: page.more ? positionOf(page) : null,
  }
}

async function readAbout(workspaceId: string, page: ConversationPage) {
  const ids = [...new Set(page.messages.flatMap((message) => message.memberId ?? []))]
  const { rows } = await runtime().db.pool.query(
    `SELECT a.id, a.name, a.archived_at IS NOT NULL AS archived,
       (SELECT coalesce(json_object_agg(m.id, m.name), '{}') FROM members m
         WHERE m.workspace_id = a.workspace_id AND m.id = ANY($3)) AS names
     FROM agents a WHERE a.id = $1 AND a.workspace_id = $2`,
    [page.conversation.agentId, workspaceId, ids],
  )
  const row = rows[0]
  if (!row) return null
  return { agent: { id: row.id, name: row.name, archived: row.archived }, names: row.names as Record<string, string> }
}

interface Around {
  names: Record<string, string>
  calls: FoundCall[]
  cards: FoundCard[]
}

function renderEntries(page: ConversationPage, around: Around): Entry[] {
  const shown = new Set<FoundCard>()
  const timed: { at: Date; entry: Entry }[] = []
  for (const message of page.messages)
    for (const entry of renderMessage(message, page, around, shown)) timed.push({ at: message.createdAt, entry })
  // What belongs to no message stands where its time is: sentences of ours, and questions about the run itself.
  const loose = [
    ...page.deliveries.flatMap((delivery) => {
      const file = renderSentFile(page.conversation.id, delivery)
      return file ? [{ at: delivery.createdAt, entry: file }] : []
    }),
    ...page.deliveries.flatMap(({ id, kind, payload, createdAt }) => {
      const text = kind === 'notice' ? (payload as { text?: unknown } | null)?.text : null
      const at = createdAt.toISOString()
      return typeof text === 'string'
        ? [{ at: createdAt, entry: { kind: 'notice' as const, key: `notice-${id}`, text, at } }]
        : []
    }),
    ...around.cards
      .filter((found) => !shown.has(found) && found.toolCallId === null)
      .map((found) => ({ at: found.askedAt, entry: cardEntry(found) })),
  ]
  for (const { at, entry } of loose) {
    const index = timed.findIndex((other) => other.at > at)
    timed.splice(index === -1 ? timed.length : index, 0, { at, entry })
  }
  return timed.map(({ entry }) => entry)
}

function renderMessage(message: ReadMessage, page: ConversationPage, around: Around, shown: Set<FoundCard>): Entry[] {
  const key = `m${message.number}`
  const at = message.createdAt.toISOString()
  const blocks = (
    Array.isArray(message.content) ? message.content : [{ type: 'text', text: message.content }]
  ) as Block[]
  if (message.role === 'user') {
    const by = (message.memberId && around.names[message.memberId]) || 'Somebody'
    return [{ kind: 'said', key, by, at, ...renderSaid(blocks) }]
  }
  if (message.role === 'tool') return []
  return blocks.flatMap((block, index): Entry[] => {
    if (block.type === 'text' && block.text?.trim())
      return [{ kind: 'answer', key: `${key}-${index}`, runId: message.runId, text: block.text, at }]
    if ((block.type !== 'tool_use' && block.type !== 'server_tool_use') || !block.id) return []
    const call = around.calls.find(({ runId, toolUseId }) => runId === message.runId && toolUseId === block.id)
    // What the model's provider did by itself is shown where it is on record (its searches).
    if (block.type === 'server_tool_use' && !call) return []
    const isOver = !page.run || page.run.id !== message.runId || !unfinished.has(page.run.status)
    const cards = around.cards.filter((found) => call && found.toolCallId === call.id)
    for (const found of cards) shown.add(found)
    return [
      {
        kind: 'activity',
        key: `call-${block.id}`,
        call: renderCall(block, call, isOver, copiedResult(page, message, block.id)),
      },
      ...cards.map(cardEntry),
    ]
  })
}

/** Messages that a fork began with belong to no run. */
function copiedResult(page: ConversationPage, message: ReadMessage, toolUseId: string): CopiedResult | undefined {
  if (message.runId !== null) return undefined
  for (const { role, runId, content } of page.messages) {
    if (role !== 'tool' || runId !== null || !Array.isArray(content)) continue
    const result = content.find((block) => block?.type === 'tool_result' && block.tool_use_id === toolUseId)
    if (!result) continue
    const parts = [result.content].flat().map((part) => (typeof part === 'string' ? part : (part?.text ?? '')))
    return { text: parts.join('\n'), failed: result.is_error === true }
  }
  return undefined
}

const unfinished = new Set<string>(['queued', 'running', 'waiting'])

interface Block {
  type: string
  text?: string
  id?: string
  name?: string
  input?: unknown
  source?: { type?: string; media_type?: string; data?: string }
}

function renderSaid(blocks: readonly Block[]): { text: string; files: FileView[] } {
  const texts: string[] = []
  const files: FileView[] = []
  for (const block of blocks) {
    const name = block.type === 'text' ? fileNameIn(block.text ?? '') : null
    if (name !== null) files.push({ name, image: null })
    else if (block.type === 'text') texts.push(block.text ?? '')
    else if (block.type === 'image' && block.source?.type === 'base64') {
      const image = `data:${block.source.media_type};base64,${block.source.data}`
      const last = files.at(-1)
      if (last && last.image === null) last.image = image
      else files.push({ name: 'an image', image })
    }
  }
  return { text: texts.join('\n\n'), files }
}

const cardEntry = ({ card }: FoundCard): Entry => ({ kind: 'question', key: `question-${card.id}`, card })

const positionOf = (page: ConversationPage) => `${page.messages[0]?.number ?? 1}.${page.deliveries[0]?.number ?? 1}`

/** It comes out of an address, so it may be anything; what is no position is none. */
function parsePosition(text: string | undefined): { message: number; delivery: number } | null {
  const match = /^(\d{1,9})\.(\d{1,9})$/.exec(text ?? '')
  return match ? { message: Number(match[1]), delivery: Number(match[2]) } : null
}
