// The way in: what a platform sent becomes a message with somebody to read it, or nothing at all. One statement, and
// the platform is answered after it has committed: nothing is lost after the acknowledgement, and what the platform
// sends again finds itself taken. Where a question waits for a text, what its person writes answers it instead.
import { answerByReply } from './answer-by-reply.ts'
import type { Database } from './client.ts'
import { byKey, type CombinedStatement, columnsOf } from './combine.ts'
import { newId } from './ids.ts'
import { limits } from './limits.ts'
import { prepared } from './prepared.ts'
import { announceEvent } from './run-events.ts'
import { announceQueued, currentVersion } from './runs.ts'
import { storableJson, storableText } from './storable.ts'

export interface IncomingMessage {
  channelId: string
  /** The platform's id of the event; the same event comes again with the same one. */
  eventId: string
  /** Where bindings look: a Slack channel, a Telegram chat. */
  place: string
  /** The thread, chat or topic; with the channel it names the conversation. */
  conversationKey: string
  /**
   * Who is to answer, where the person chose (a playground session). Only an agent of the same workspace that is not
   * archived, and in a conversation that is there already only its own; otherwise the outcome is `no-agent`.
   */
  agentId?: string
  /** Null: somebody who is not a member. */
  memberId: string | null
  /** The model's content blocks. */
  content: unknown
  /** The platform's id of the message, for edits and deletions. */
  messageId?: string
  /** What a new conversation and a new run are called in lists. */
  title?: string
}

export type Received =
  | { outcome: 'received'; conversationId: string; messageNumber: number; runId: string; runCreated: boolean }
  /** It answered a question that waited for a text, and is no message. `messageNumber`: the last one before it. */
  | { outcome: 'answered'; conversationId: string; messageNumber: number; runId: string; questionId: string }
  /** It came before; these are what it led to then. */
  | { outcome: 'duplicate'; conversationId: string | null; messageNumber: number | null; runId: string | null }
  /** Nobody answers in this place, the conversation's agent is archived, or the chosen one may not answer here. */
  | { outcome: 'no-agent' }

/**
 * Takes a message in, or counts it as the answer to a question that waits here for its writer's text. Every channel's
 * way in. Only one text and nothing else can be an answer: with a file it says more than was asked for.
 */
export async function receiveEvent(db: Database, event: IncomingMessage): Promise<Received> {
  const text = event.memberId === null ? null : onlyText(event.content)
  const taken = await takeIn(db, event, text !== null)
  if (taken.outcome !== 'asked') return taken
  const { channelId, eventId, conversationKey, memberId } = event
  const reply = { channelId, eventId, conversationKey, memberId, text: text ?? '', surface: taken.channelKind }
  const answered = await answerByReply(db, reply)
  if (answered?.outcome === 'answered') return answered
  if (answered?.outcome === 'duplicate') return await findDuplicate(db, channelId, storableText(eventId))
  // It is not theirs to answer, or somebody else just did.
  const said = await takeIn(db, event, false)
  if (said.outcome === 'asked') throw new Error('a message that is no answer was taken for one')
  return said
}

/** Null where there is more than one text: a file that came along is a block too, even one that can be read as text. */
function onlyText(content: unknown): string | null {
  if (typeof content === 'string') return content
  if (!Array.isArray(content) || content.length !== 1) return null
  const { type, text } = (content[0] ?? {}) as { type?: unknown; text?: unknown }
  return type === 'text' && typeof text === 'string' ? text : null
}

/**
 * If the conversation has an unfinished run, the message belongs to it: a running or waiting run
 * sees it at its next step, and finishRun starts another run for what it did not see. Otherwise a run is queued.
 *
 * With `mayAnswer` it does nothing where an open question wants a text (`asked`), and is asked again without it where
 * that comes to nothing: most messages answer nothing, and cost no look of their own.
 *
 * The conversation's row is taken first and puts parallel messages in order. Both upserts write even when the row is
 * there: DO NOTHING would not return a row that another transaction committed while this one waited for it.
 */
async function takeIn(
  db: Database,
  event: IncomingMessage,
  mayAnswer: boolean,
): Promise<Received | { outcome: 'asked'; channelKind: string }> {
  const eventId = storableText(event.eventId)
  try {
    const row = await db.combiner.run(take, { event, mayAnswer, runId: newId('run') })
    if (!row) return await findDuplicate(db, event.channelId, eventId)
    if (row.asked) return { outcome: 'asked', channelKind: row.channel_kind }
    if (!row.run_id) return { outcome: 'no-agent' }
    return {
      outcome: 'received',
      conversationId: row.conversation_id,
      messageNumber: row.number,
      runId: row.run_id,
      runCreated: row.created,
    }
  } catch (error) {
    // The same event at the same moment: the other one has it, and nothing of this statement was written.
    if (isTaken(error)) return await findDuplicate(db, event.channelId, eventId)
    throw error
  }
}

interface Taking {
  event: IncomingMessage
  mayAnswer: boolean
  /** Of the run that it leads to, where there is no unfinished one. */
  runId: string
}

// What is looked up by a whole key is so in a query of its own, of which only that key's index can be the plan: otherwise
// one that was made while the tables were empty reads all conversations of a channel, or all open questions of everybody,
// for each message.
const take: CombinedStatement<Taking> = {
  text: `WITH event AS (
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
         $9::text[], $10::text[], $11::text[], $12::bool[]) AS e (channel_id, event_id, place, conversation_key,
         new_conversation, title, new_run, member_id, content, message_id, chosen_agent, may_answer)
     ), channel AS (
       SELECT e.*, ch.workspace_id, known.id AS known_conversation,
         CASE WHEN known.id IS NOT NULL THEN CASE WHEN e.chosen_agent IS NULL OR its_own.id = e.chosen_agent THEN its_own.id END
           WHEN e.chosen_agent IS NOT NULL THEN chosen.id ELSE coalesce(bound.id, fallback.id) END AS agent_id,
         ch.kind AS channel_kind,
         (e.may_answer AND its_own.id = coalesce(e.chosen_agent, its_own.id) AND (
           SELECT true FROM questions q WHERE q.run_id = (SELECT r.id FROM runs r
             WHERE r.conversation_id = known.id AND r.status IN ('queued', 'running', 'waiting') LIMIT 1)
             AND ${byKey('q.status')} = 'open' AND q.kind = 'text' LIMIT 1)) IS TRUE AS asked
       FROM event e JOIN channels ch ON ch.id = e.channel_id
       LEFT JOIN LATERAL (SELECT k.id, k.agent_id FROM conversations k
         WHERE k.channel_id = e.channel_id AND k.external_key = e.conversation_key LIMIT 1) AS known ON true
       LEFT JOIN agents its_own ON its_own.id = known.agent_id AND its_own.archived_at IS NULL
       LEFT JOIN agents chosen ON chosen.id = e.chosen_agent AND chosen.workspace_id = ch.workspace_id
         AND chosen.archived_at IS NULL
       LEFT JOIN LATERAL (SELECT b.agent_id FROM bindings b
         WHERE b.channel_id = e.channel_id AND b.place = e.place LIMIT 1) AS b ON true
       LEFT JOIN agents bound ON bound.id = b.agent_id AND bound.archived_at IS NULL
       LEFT JOIN agents fallback ON fallback.id = ch.default_agent_id AND fallback.archived_at IS NULL
       WHERE NOT EXISTS (
         SELECT 1 FROM inbound_events i WHERE i.channel_id = e.channel_id AND i.external_id = e.event_id)
     ), conversation AS (
       INSERT INTO conversations (id, workspace_id, channel_id, agent_id, external_key, title, opened_by, next_message)
       SELECT new_conversation, workspace_id, channel_id, agent_id, conversation_key, title, member_id, 2 FROM channel
       WHERE agent_id IS NOT NULL AND NOT asked ORDER BY known_conversation, conversation_key
       ON CONFLICT (channel_id, external_key) DO UPDATE
         SET next_message = conversations.next_message + 1, last_activity_at = clock_timestamp(),
           title = CASE conversations.title WHEN '' THEN excluded.title ELSE conversations.title END
       RETURNING id, workspace_id, agent_id, channel_id, external_key, next_message - 1 AS number
     ), run AS (
       INSERT INTO runs (id, workspace_id, conversation_id, agent_id, agent_version_id, requested_by, trigger, title)
       SELECT ch.new_run, c.workspace_id, c.id, c.agent_id, ${currentVersion('c.agent_id')}, ch.member_id, 'message', ch.title
       FROM conversation c JOIN channel ch ON ch.channel_id = c.channel_id AND ch.conversation_key = c.external_key
       ORDER BY c.id
       ON CONFLICT (conversation_id) WHERE status IN ('queued', 'running', 'waiting') DO UPDATE SET steps = runs.steps
       RETURNING id, conversation_id
     ), taken AS (
       SELECT ch.new_run AS key, ch.member_id, ch.content, ch.message_id, c.workspace_id, c.id AS conversation_id, c.number,
         run.id AS run_id, run.id = ch.new_run AS created
       FROM run JOIN conversation c ON c.id = run.conversation_id
       JOIN channel ch ON ch.channel_id = c.channel_id AND ch.conversation_key = c.external_key
     ), message AS (
       INSERT INTO messages (conversation_id, number, workspace_id, run_id, role, content, member_id, external_id)
       SELECT conversation_id, number, workspace_id, run_id, 'user', content::jsonb, member_id, message_id FROM taken
     ), events AS (
       INSERT INTO run_events (workspace_id, run_id, kind, data)
       SELECT workspace_id, run_id, CASE WHEN created THEN 'message-in' ELSE 'message' END,
         CASE WHEN created THEN jsonb_build_object('number', number) ELSE jsonb_build_object('number', number, 'role', 'user') END
       FROM taken RETURNING ${announceEvent(`'message'`)}
     ), inbound AS (
       INSERT INTO inbound_events (channel_id, external_id, workspace_id, kind, conversation_id, message_number, run_id)
       SELECT ch.channel_id, ch.event_id, ch.workspace_id, 'message', t.conversation_id, t.number, t.run_id
       FROM channel ch LEFT JOIN taken t ON t.key = ch.new_run WHERE NOT ch.asked
     )
     SELECT ch.new_run AS key, t.conversation_id, t.number, t.run_id, t.created, ch.asked, ch.channel_kind,
       CASE WHEN t.created THEN ${announceQueued} END
     FROM channel ch LEFT JOIN taken t ON t.key = ch.new_run`,
  values: (items) =>
    columnsOf(
      items.map(({ event, mayAnswer, runId }) => [
        event.channelId,
        storableText(event.eventId),
        storableText(event.place),
        storableText(event.conversationKey),
        newId('cnv'),
        storableText(event.title ?? ''),
        runId,
        event.memberId,
        storableJson(event.content),
        event.messageId === undefined ? null : storableText(event.messageId),
        event.agentId ?? null,
        mayAnswer,
      ]),
    ),
  keyOf: ({ runId }) => runId,
  apartBy: ({ event: { channelId, eventId, conversationKey } }) => [
    `conversation ${channelId} ${storableText(conversationKey)}`,
    `event ${channelId} ${storableText(eventId)}`,
  ],
}

function isTaken(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string }
  return code === '23505' && constraint === 'inbound_events_pkey'
}

async function findDuplicate(db: Database, channelId: string, eventId: string): Promise<Received> {
  const { rows } = await prepared(
    db.pool,
    'SELECT conversation_id, message_number, run_id FROM inbound_events WHERE channel_id = $1 AND external_id = $2',
    [channelId, eventId],
  )
  const row = rows[0]
  if (!row) throw new Error(`there is no channel ${channelId}`)
  return {
    outcome: 'duplicate',
    conversationId: row.conversation_id,
    messageNumber: row.message_number,
    runId: row.run_id,
  }
}

/** For the maintenance job: events that no platform sends again. Returns how many rows went. */
export async function deleteOldInboundEvents(db: Pick<Database, 'pool'>): Promise<number> {
  let deleted = 0
  for (;;) {
    const { rowCount } = await prepared(
      db.pool,
      `DELETE FROM inbound_events WHERE (channel_id, external_id) IN (
         SELECT channel_id, external_id FROM inbound_events
         WHERE received_at < now() - $1::float8 * interval '1 millisecond' ORDER BY received_at LIMIT $2)`,
      [limits.inboundEventMs, limits.maintenanceRows],
    )
    deleted += rowCount ?? 0
    if ((rowCount ?? 0) < limits.maintenanceRows) return deleted
  }
}
