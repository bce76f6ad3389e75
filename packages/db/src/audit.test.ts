import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { recordAudit, verifyAudit } from './audit.ts'
import { inTransaction } from './client.ts'
import { newId } from './ids.ts'
import { limits } from './limits.ts'
import { useTestDatabase } from './testing.ts'

const database = useTestDatabase()

async function newWorkspace(events = 0): Promise<string> {
  const id = newId('wsp')
  await database.db.pool.query('INSERT INTO workspaces (id, slug, name) VALUES ($1, $1, $1)', [id])
  for (let number = 1; number <= events; number++) await record(id, { number })
  return id
}

const record = (workspaceId: string, data: Record<string, unknown> = {}) =>
  recordAudit(database.db.pool, {
    workspaceId,
    actor: { kind: 'system', id: 'test' },
    action: 'test.happen',
    subject: { kind: 'workspace', id: workspaceId },
    data,
  })

/** What somebody with the database's own superuser can do: the triggers are off while they write. */
async function tamper(sql: string, ...values: unknown[]): Promise<void> {
  await inTransaction(database.db, async (tx) => {
    await tx.query('ALTER TABLE audit_events DISABLE TRIGGER USER')
    await tx.query(sql, values)
    await tx.query('ALTER TABLE audit_events ENABLE TRIGGER USER')
  })
}

test('an untouched log verifies, an empty one as well', async () => {
  expect(await verifyAudit(database.db, await newWorkspace())).toEqual({ ok: true, events: 0, head: '' })
  const workspace = await newWorkspace(5)
  expect(await verifyAudit(database.db, workspace)).toMatchObject({ ok: true, events: 5 })
})

test('data of every kind verifies: Unicode, numbers, nesting, quotes', async () => {
  const workspace = await newWorkspace()
  await record(workspace, { text: 'Grüße "quoted" \\ 🦀 \u2028', number: 1.25e21, nested: [{ b: null, a: [true] }] })
  // A NUL or half a surrogate pair in somebody's reason must not keep what they did from being done.
  await record(workspace, { 'k\0': 'a\0b\ud800', micros: 10n })
  expect(await verifyAudit(database.db, workspace)).toMatchObject({ ok: true, events: 2 })
})

test('an edited event is named, whichever column was edited', async () => {
  const edits = {
    data: `data = '{"number": 99}'`,
    actor_id: `actor_id = 'somebody-else'`,
    action: `action = 'test.other'`,
    subject_id: `subject_id = 'other'`,
    at: `at = at + interval '1 microsecond'`,
  }
  for (const edit of Object.values(edits)) {
    const workspace = await newWorkspace(5)
    await tamper(`UPDATE audit_events SET ${edit} WHERE workspace_id = $1 AND number = 3`, workspace)
    expect(await verifyAudit(database.db, workspace)).toEqual({
      ok: false,
      number: 3,
      problem: 'Event 3 was edited: its hash is not that of its content.',
    })
  }
})

test('an edited event with a hash that fits it is found by the event after it, or by the head', async () => {
  for (const [edited, found] of [
    [3, 4],
    [5, 5],
  ] as const) {
    const workspace = await newWorkspace(5)
    await tamper(
      `UPDATE audit_events SET actor_id = 'nobody' WHERE workspace_id = $1 AND number = ${edited}`,
      workspace,
    )
    const { rows } = await database.db.pool.query(
      `SELECT previous_hash, audit_event_text(e) AS text FROM audit_events e WHERE workspace_id = $1 AND number = $2`,
      [workspace, edited],
    )
    const hash = createHash('sha256').update(rows[0].previous_hash).update(rows[0].text).digest()
    await tamper(`UPDATE audit_events SET hash = $2 WHERE workspace_id = $1 AND number = ${edited}`, workspace, hash)
    expect(await verifyAudit(database.db, workspace)).toMatchObject({ ok: false, number: found })
  }
})

test('a removed event is named, and so is a tail that was cut off', async () => {
  const middle = await newWorkspace(5)
  await tamper('DELETE FROM audit_events WHERE workspace_id = $1 AND number = 2', middle)
  expect(await verifyAudit(database.db, middle)).toEqual({
    ok: false,
    number: 2,
    problem: 'Event 2 was removed: event 3 follows event 1.',
  })
  const first = await newWorkspace(3)
  await tamper('DELETE FROM audit_events WHERE workspace_id = $1 AND number = 1', first)
  expect(await verifyAudit(database.db, first)).toMatchObject({ ok: false, number: 1 })
  const tail = await newWorkspace(5)
  await tamper('DELETE FROM audit_events WHERE workspace_id = $1 AND number > 3', tail)
  expect(await verifyAudit(database.db, tail)).toMatchObject({
    ok: false,
    number: 4,
    problem: expect.stringContaining('Events 4 to 5 were removed from the end'),
  })
})

test('an inserted event is named, in the middle and at the end', async () => {
  const middle = await newWorkspace(4)
  await tamper('UPDATE audit_events SET number = number + 1 WHERE workspace_id = $1 AND number = 4', middle)
  const insert = `INSERT INTO audit_events (workspace_id, number, actor_kind, actor_id, action, subject_kind, subject_id)
                  VALUES ($1, $2, 'system', 'forger', 'test.forge', 'workspace', 'x')`
  await tamper(insert, middle, 4)
  expect(await verifyAudit(database.db, middle)).toMatchObject({ ok: false, number: 4 })

  const end = await newWorkspace(3)
  await tamper(
    `INSERT INTO audit_events (workspace_id, number, at, actor_kind, actor_id, action, subject_kind, subject_id, previous_hash)
     SELECT workspace_id, 4, '2026-01-01Z', 'system', 'forger', 'test.forge', 'workspace', 'x', hash
     FROM audit_events WHERE workspace_id = $1 AND number = 3`,
    end,
  )
  await tamper(
    `UPDATE audit_events e SET hash = sha256(previous_hash || convert_to(audit_event_text(e), 'UTF8'))
     WHERE workspace_id = $1 AND number = 4`,
    end,
  )
  expect(await verifyAudit(database.db, end)).toMatchObject({ ok: false, number: 4 })
})

test('an event that was inserted before the first one is named', async () => {
  for (const number of [0, -7]) {
    const workspace = await newWorkspace(2)
    await tamper(
      `INSERT INTO audit_events (workspace_id, number, actor_kind, actor_id, action, subject_kind, subject_id)
       VALUES ($1, $2, 'system', 'forger', 'test.forge', 'workspace', 'x')`,
      workspace,
      number,
    )
    expect(await verifyAudit(database.db, workspace)).toMatchObject({ ok: false, number })
  }
})

test('swapping two workspaces’ events is found', async () => {
  const [a, b] = [await newWorkspace(3), await newWorkspace(3)]
  await tamper(`UPDATE audit_events SET number = 100 WHERE workspace_id = $1 AND number = 2`, a)
  await tamper(`UPDATE audit_events SET workspace_id = $1 WHERE workspace_id = $2 AND number = 2`, a, b)
  expect(await verifyAudit(database.db, a)).toMatchObject({ ok: false, number: 2 })
  expect(await verifyAudit(database.db, b)).toMatchObject({ ok: false, number: 2 })
})

test('update, delete and truncate are refused', async () => {
  const workspace = await newWorkspace(2)
  const { pool } = database.db
  const refused = { constraint: expect.stringMatching(/^audit_events_/) }
  await expect(
    pool.query(`UPDATE audit_events SET action = 'x' WHERE workspace_id = $1`, [workspace]),
  ).rejects.toMatchObject(refused)
  await expect(pool.query('DELETE FROM audit_events WHERE workspace_id = $1', [workspace])).rejects.toMatchObject(
    refused,
  )
  await expect(pool.query('TRUNCATE audit_events')).rejects.toMatchObject(refused)
  await expect(pool.query('DELETE FROM workspaces WHERE id = $1', [workspace])).rejects.toThrow(/audit_events/)
  expect(await verifyAudit(database.db, workspace)).toMatchObject({ ok: true, events: 2 })
})

test('events from many connections at once make one chain without a gap, and a rolled-back one leaves no hole', async () => {
  const workspace = await newWorkspace()
  await Promise.all(
    Array.from({ length: 20 }, async (_, connection) => {
      for (let round = 0; round < 5; round++)
        await inTransaction(database.db, async (tx) => {
          await recordAudit(tx, {
            workspaceId: workspace,
            actor: { kind: 'system', id: `connection-${connection}` },
            action: 'test.happen',
            subject: { kind: 'workspace', id: workspace },
          })
          if (round === 2) throw new Error('rolled back')
        }).catch((error: Error) => {
          if (error.message !== 'rolled back') throw error
        })
    }),
  )
  expect(await verifyAudit(database.db, workspace)).toMatchObject({ ok: true, events: 80 })
})

test('a log of several pages verifies, and an edit on a late page is named', async () => {
  const workspace = await newWorkspace()
  const events = limits.auditPageRows + 10
  await database.db.pool.query(
    `INSERT INTO audit_events (workspace_id, actor_kind, actor_id, action, subject_kind, subject_id)
     SELECT $1, 'system', 'test', 'test.happen', 'workspace', n::text FROM generate_series(1, $2::int) n`,
    [workspace, events],
  )
  expect(await verifyAudit(database.db, workspace)).toMatchObject({ ok: true, events })
  await tamper(
    `UPDATE audit_events SET subject_id = 'x' WHERE workspace_id = $1 AND number = $2`,
    workspace,
    events - 1,
  )
  expect(await verifyAudit(database.db, workspace)).toMatchObject({ ok: false, number: events - 1 })
})
