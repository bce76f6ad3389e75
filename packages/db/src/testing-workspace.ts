// A workspace to test transitions in: one member of each role, an agent with a published version, a web channel.
import type { Database } from './client.ts'
import { newId } from './ids.ts'
import { receiveEvent } from './inbox.ts'
import { type Role, roles } from './roles.ts'
import { readRunEvents } from './run-events.ts'
import { type ClaimedRun, claimRun } from './runs.ts'
import { requestToolCall, type ToolCallRequest } from './tool-calls.ts'

export interface TestWorkspace {
  workspaceId: string
  agentId: string
  channelId: string
  members: Record<Role, string>
}

export async function createTestWorkspace(db: Database): Promise<TestWorkspace> {
  const workspaceId = newId('ws')
  const agentId = newId('agent')
  const channelId = newId('chn')
  const members = Object.fromEntries(roles.map((role) => [role, newId('mem')])) as Record<Role, string>
  await db.pool.query('INSERT INTO workspaces (id, slug, name) VALUES ($1, $1, $1)', [workspaceId])
  for (const role of roles)
    await db.pool.query('INSERT INTO members (id, workspace_id, name, role) VALUES ($1, $2, $3, $4::role)', [
      members[role],
      workspaceId,
      `The ${role}`,
      role,
    ])
  await db.pool.query('INSERT INTO agents (id, workspace_id, slug, name) VALUES ($1, $2, $1, $1)', [
    agentId,
    workspaceId,
  ])
  await db.pool.query(
    'INSERT INTO agent_versions (id, workspace_id, agent_id, number, published_at) VALUES ($1, $2, $3, 1, now())',
    [newId('ver'), workspaceId, agentId],
  )
  await db.pool.query(
    `INSERT INTO channels (id, workspace_id, kind, name, external_id, default_agent_id) VALUES ($1, $2, 'web', $1, $1, $3)`,
    [channelId, workspaceId, agentId],
  )
  return { workspaceId, agentId, channelId, members }
}

/** A message of the member, in a conversation of its own unless `conversationKey` names one. */
export async function say(
  db: Database,
  workspace: TestWorkspace,
  message: { conversationKey?: string; memberId?: string; eventId?: string; text?: string } = {},
): Promise<{ conversationId: string; messageNumber: number; runId: string; runCreated: boolean }> {
  const received = await receiveEvent(db, {
    channelId: workspace.channelId,
    eventId: message.eventId ?? newId('event'),
    place: 'here',
    conversationKey: message.conversationKey ?? newId('thread'),
    memberId: message.memberId ?? workspace.members.member,
    content: [{ type: 'text', text: message.text ?? 'hello' }],
  })
  if (received.outcome !== 'received') throw new Error(`expected the message to be received: ${received.outcome}`)
  return received
}

export async function claim(db: Database, runId: string, processId = 'process-1'): Promise<ClaimedRun> {
  const claimed = await claimRun(db, { runId, processId })
  if (!claimed) throw new Error('expected the run to be claimed')
  return claimed
}

/** A new conversation with a run that is claimed. */
export async function startRun(db: Database, workspace: TestWorkspace): Promise<ClaimedRun> {
  return claim(db, (await say(db, workspace)).runId)
}

export async function requestCall(db: Database, run: ClaimedRun, call: Partial<ToolCallRequest> = {}): Promise<string> {
  const requested = await requestToolCall(db, run, {
    step: 1,
    toolUseId: newId('use'),
    toolName: 'file.write',
    toolVersion: 'v1',
    effect: 'write',
    idempotent: false,
    arguments: { path: 'a.txt' },
    argumentsDigest: 'digest-1',
    ...call,
  })
  if (!requested) throw new Error('expected the call to be recorded')
  return requested.id
}

/** One more member, known on a platform where `identity` says how. */
export async function addMember(
  db: Database,
  member: { workspaceId: string; name: string; role: string; identity?: { kind: string; externalId: string } },
): Promise<string> {
  const { workspaceId, name, role, identity } = member
  const memberId = newId('mem')
  await db.pool.query('INSERT INTO members (id, workspace_id, name, role) VALUES ($1, $2, $3, $4::role)', [
    memberId,
    workspaceId,
    name,
    role,
  ])
  if (identity)
    await db.pool.query(
      `INSERT INTO identities (id, workspace_id, member_id, kind, external_id) VALUES ($1, $2, $3, $4::identity_kind, $5)`,
      [newId('idn'), workspaceId, memberId, identity.kind, identity.externalId],
    )
  return memberId
}

/** As if the process that holds the run had died and its time was over. One that has ended with it has nothing to lose. */
export async function loseClaim(db: Database, runId: string): Promise<void> {
  await db.pool.query(
    `UPDATE runs SET claim_until = now() - interval '1 second' WHERE id = $1 AND status = 'running'`,
    [runId],
  )
}

/** The same call many times at once, each on a connection of its own as far as the pool has them. */
export function race<T>(times: number, call: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => call(index)))
}

/**
 * A race that certainly is one: `lock` takes a row, `work` is started, and the row is let go only when `waiting` of its
 * statements stand in line for a lock. All of those took their view of the database before any of them could write.
 * `work` can wait for the line to grow, where the order in it matters.
 */
export async function raceBehind<T>(
  db: Database,
  lock: { sql: string; id: string; waiting: number },
  work: (untilWaiting: (count: number) => Promise<void>) => Promise<T>,
): Promise<T> {
  const holder = await db.pool.connect()
  const untilWaiting = async (count: number) => {
    const deadline = Date.now() + 20_000
    for (let waiting = 0; waiting < count; ) {
      if (Date.now() > deadline) throw new Error(`only ${waiting} of ${count} statements came to wait for a lock`)
      // A transaction keeps its first list of connections, and the ones that `work` opens are not on it.
      await holder.query('SELECT pg_stat_clear_snapshot()')
      const { rows } = await holder.query(
        `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      waiting = rows[0].count
    }
  }
  try {
    await holder.query('BEGIN')
    await holder.query(lock.sql, [lock.id])
    const working = work(untilWaiting)
    await untilWaiting(lock.waiting)
    await holder.query('COMMIT')
    return await working
  } finally {
    holder.release(true) // Also where it failed inside its transaction: such a connection is not used again.
  }
}

export async function readRun(db: Database, runId: string) {
  return db.prisma.run.findUniqueOrThrow({ where: { id: runId } })
}

export async function eventKinds(db: Database, runId: string): Promise<string[]> {
  const { workspaceId } = await readRun(db, runId)
  const events = await readRunEvents(db, { workspaceId, runId })
  return events.map((event) => event.kind)
}

/** Whether the run would be taken by the next process that looks. */
export async function isQueued(db: Database, runId: string): Promise<boolean> {
  return (await readRun(db, runId)).status === 'queued'
}
