import { expect, test } from 'vitest'
import { inTransaction, openDatabase } from './client.ts'
import { limits } from './limits.ts'
import { useTestDatabase } from './testing.ts'
import { race } from './testing-workspace.ts'

const database = useTestDatabase()

test('a connection that breaks inside a transaction fails that transaction, and the process and the pool go on', async () => {
  const { db } = database
  const broken = inTransaction(db, async (tx) => {
    const { rows } = await tx.query('SELECT pg_backend_pid() AS pid')
    // The server ends the connection while no query is under way on it: nothing but the connection itself can tell.
    const ended = new Promise((done) => tx.once('end', done))
    await db.pool.query('SELECT pg_terminate_backend($1)', [rows[0].pid])
    await ended
    return tx.query('SELECT 1')
  })
  await expect(broken).rejects.toThrow()
  expect(await inTransaction(db, async (tx) => (await tx.query('SELECT 1 AS one')).rows)).toEqual([{ one: 1 }])
})

test('what a transaction wrote before it failed is undone, and its connection serves again', async () => {
  const db = openDatabase(database.url, { name: 'test-one', maxConnections: 1 })
  const insert = `INSERT INTO workspaces (id, slug, name) VALUES ('w', 'w', 'w')`
  const failing = inTransaction(db, async (tx) => {
    await tx.query(insert)
    throw new Error('changed my mind')
  })
  await expect(failing).rejects.toThrow('changed my mind')
  await inTransaction(db, (tx) => tx.query(insert))
  await db.close()
})

test('more transactions at once than there are connections all get their turn', async () => {
  const db = openDatabase(database.url, { name: 'test-two', maxConnections: 2 })
  const done = await race(50, () => inTransaction(db, async (tx) => (await tx.query('SELECT 1')).rowCount))
  expect(done).toHaveLength(50)
  expect(db.pool.totalCount).toBe(2)
  await db.close()
})

test('no statement and no forgotten transaction can hold its locks for ever', async () => {
  const { rows } = await database.db.pool.query(
    `SELECT name, setting::int AS ms FROM pg_settings
     WHERE name IN ('statement_timeout', 'idle_in_transaction_session_timeout') ORDER BY name`,
  )
  expect(rows).toEqual([
    { name: 'idle_in_transaction_session_timeout', ms: limits.idleTransactionMs },
    { name: 'statement_timeout', ms: limits.statementMs },
  ])
})
