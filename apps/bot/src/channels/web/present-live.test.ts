import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, LiveEvent, LiveNotice } from '@quartermaster/db'
import { expect, test } from 'vitest'
import { limits } from '../../limits.ts'
import { gatherAnnouncements } from './gather-announcements.ts'
import { presentLive } from './present-live.ts'

const place = { workspaceId: 'w', conversationId: 'c', channelId: 'ch', conversationKey: 'k', runId: 'r' }

/** Takes the place of the connection, so that it can be as slow or as broken as a test needs. */
function connection(answer: () => Promise<void> | void = () => {}) {
  const asked: LiveEvent[][] = []
  const query = async (_sql: string, [payloads]: [string[]]) => {
    asked.push(payloads.map((payload) => (JSON.parse(payload) as LiveNotice).event))
    await answer()
    return { rows: [] }
  }
  return { asked, events: () => asked.flat(), db: { pool: { query } } as unknown as Pick<Database, 'pool'> }
}

const textOf = (events: LiveEvent[]) => events.map((event) => (event.kind === 'text' ? event.text : '')).join('')

test('text is gathered: a hundred words at once are one notice', async () => {
  const { db, asked } = connection()
  const presenter = presentLive(gatherAnnouncements(db), place)
  for (let word = 0; word < 100; word++) presenter.text(1, `${word} `)
  expect(asked).toHaveLength(0)
  await presenter.end()
  expect(asked).toHaveLength(1)
  expect(asked[0]).toHaveLength(1)
})

test('text goes out about every 50 ms while it is written, not only at the end', async () => {
  const { db, asked, events } = connection()
  const presenter = presentLive(gatherAnnouncements(db), place)
  for (let word = 0; word < 30; word++) {
    presenter.text(1, `${word} `)
    await sleep(10)
  }
  expect(asked.length).toBeGreaterThanOrEqual(2)
  expect(asked.length).toBeLessThanOrEqual(10)
  await presenter.end()
  expect(textOf(events())).toBe(Array.from({ length: 30 }, (_, word) => `${word} `).join(''))
})

test('each piece says how many characters went before it, also after a restart and in the next step', async () => {
  const { db, events } = connection()
  const presenter = presentLive(gatherAnnouncements(db), place)
  presenter.text(1, 'abc')
  presenter.activity({ toolUseId: 't', tool: 'x', title: 'X', state: 'running' })
  presenter.text(1, 'def')
  presenter.restart(1, 4)
  presenter.text(1, 'DEF')
  presenter.text(2, 'next')
  await presenter.end()
  expect(events().filter((event) => event.kind === 'text')).toEqual([
    { kind: 'text', step: 1, from: 0, text: 'abc' },
    { kind: 'text', step: 1, from: 3, text: 'def' },
    { kind: 'text', step: 1, from: 4, text: 'DEF' },
    { kind: 'text', step: 2, from: 0, text: 'next' },
  ])
})

test('while the database is slow only so much is kept: text is dropped, what became of tool calls is not', async () => {
  const gate = Promise.withResolvers<void>()
  const { db, events } = connection(() => gate.promise)
  const presenter = presentLive(gatherAnnouncements(db), place)
  presenter.text(1, 'first')
  await sleep(limits.presentEveryMs * 2) // Now an announcement is on its way and does not come back.
  presenter.activity({ toolUseId: 't', tool: 'x', title: 'X', state: 'done' })
  const chunk = 'x'.repeat(1_000)
  for (let count = 0; count < 1_000; count++) presenter.text(1, chunk)
  presenter.text(1, 'last')
  gate.resolve()
  await presenter.end()
  const later = events().slice(1)
  expect(textOf(later).length).toBeLessThanOrEqual(limits.presentCharacters + 1_000)
  expect(later).toContainEqual({ kind: 'activity', toolUseId: 't', tool: 'x', title: 'X', state: 'done' })
  // What is missing can be told from where the rest begins.
  const next = later.find((event) => event.kind === 'text')
  expect(next).toMatchObject({ step: 1 })
  expect((next as { from: number }).from).toBeGreaterThan('first'.length)
})

test('events without text have a bound as well, and the newest are kept', async () => {
  const gate = Promise.withResolvers<void>()
  const { db, events } = connection(() => gate.promise)
  const presenter = presentLive(gatherAnnouncements(db), place)
  presenter.status('on its way')
  await sleep(limits.presentEveryMs * 2)
  for (let count = 0; count < 5_000; count++) presenter.status(`number ${count}`)
  gate.resolve()
  await presenter.end()
  expect(events().length).toBeLessThanOrEqual(limits.presentEvents + 1)
  expect(events().at(-1)).toEqual({ kind: 'status', sentence: 'number 4999' })
})

test('a database that fails is not heard of, and what comes later is shown', async () => {
  let failing = true
  const { db, events } = connection(() => {
    if (failing) throw new Error('connection refused')
  })
  const presenter = presentLive(gatherAnnouncements(db), place)
  presenter.status('lost')
  await sleep(limits.presentEveryMs * 2)
  failing = false
  presenter.status('shown')
  await presenter.end()
  expect(events().at(-1)).toEqual({ kind: 'status', sentence: 'shown' })
})

test('the end does not wait for a database that does not answer', async () => {
  const { db } = connection(() => new Promise(() => {}))
  const presenter = presentLive(gatherAnnouncements(db), place)
  presenter.text(1, 'x')
  const started = Date.now()
  await presenter.end()
  expect(Date.now() - started).toBeLessThan(limits.presentEndMs + 1_000)
})

test('a line is cut between characters, and so that its notice fits', async () => {
  const { db, events } = connection()
  const presenter = presentLive(gatherAnnouncements(db), place)
  const escaped = '\u0001'.repeat(5_000)
  presenter.activity({ toolUseId: escaped, tool: escaped, title: escaped, state: 'running', line: escaped })
  presenter.status('😀'.repeat(5_000))
  await presenter.end()
  const [activity, status] = events()
  expect(Buffer.byteLength(JSON.stringify({ ...place, event: activity }))).toBeLessThan(7_800)
  expect((status as { sentence: string }).sentence).toMatch(/^(😀)+…$/u)
})
