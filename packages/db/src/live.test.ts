import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { listen } from './listen.ts'
import { announceLive, type LiveEvent, type LiveNotice, liveChannel } from './live.ts'
import { useTestDatabase } from './testing.ts'

const database = useTestDatabase()
const ids = { workspaceId: 'wsp_1', conversationId: 'cnv_1', runId: 'run_1' }
const notice = (event: LiveEvent): LiveNotice => ({ ...ids, event })

/** What somebody who listens hears of it, until the mark that is announced behind it. */
async function heard(notices: readonly LiveNotice[]): Promise<{ events: LiveEvent[]; bytes: number[] }> {
  const stop = new AbortController()
  const payloads: string[] = []
  await listen(database.url, [liveChannel], (each) => each.kind === 'notice' && payloads.push(each.payload), {
    signal: stop.signal,
  })
  await announceLive(database.db, notices)
  await announceLive(database.db, [notice({ kind: 'status', sentence: 'the mark' })])
  while (!payloads.at(-1)?.includes('the mark')) await sleep(5)
  stop.abort()
  payloads.pop()
  return {
    events: payloads.map((payload) => (JSON.parse(payload) as LiveNotice).event),
    bytes: payloads.map((payload) => Buffer.byteLength(payload)),
  }
}

test('notices arrive in the order in which they were announced, whatever their kind', async () => {
  const events: LiveEvent[] = [
    { kind: 'status', sentence: 'The model is busy.' },
    { kind: 'text', step: 1, from: 0, text: 'one ' },
    { kind: 'activity', toolUseId: 't', tool: 'file.read', title: 'Reads', state: 'running', line: 'a.txt' },
    { kind: 'restart', step: 1, keep: 2 },
    { kind: 'text', step: 1, from: 2, text: 'two' },
    { kind: 'step-end', step: 1 },
  ]
  expect((await heard(events.map(notice))).events).toEqual(events)
})

test('nothing to announce asks nothing of the database', async () => {
  await announceLive({ pool: { query: () => Promise.reject(new Error('asked')) } as never }, [])
  await announceLive({ pool: { query: () => Promise.reject(new Error('asked')) } as never }, [
    notice({ kind: 'text', step: 1, from: 0, text: '' }),
  ])
})

test.each([
  ['plain', 'word '.repeat(20_000)],
  ['of characters that JSON escapes sixfold', '\u0001\u0000'.repeat(10_000)],
  ['of quotes and line breaks', '"\\\n'.repeat(10_000)],
  ['of four-byte characters', '😀'.repeat(10_000)],
  ['of halves of surrogate pairs', '\ud83d '.repeat(10_000)],
])('a long text %s goes out in pieces below the limit that join to the same text', async (_name, text) => {
  const { events, bytes } = await heard([notice({ kind: 'text', step: 3, from: 7, text })])
  expect(events.length).toBeGreaterThan(1)
  for (const size of bytes) expect(size).toBeLessThan(8_000)
  let joined = ''
  for (const event of events) {
    if (event.kind !== 'text') throw new Error('expected text')
    expect(event).toMatchObject({ step: 3, from: 7 + joined.length })
    joined += event.text
  }
  expect(joined).toBe(text)
})

test('no piece ends within a character', async () => {
  const { events } = await heard([notice({ kind: 'text', step: 1, from: 0, text: `x${'😀'.repeat(5_000)}` })])
  for (const event of events) if (event.kind === 'text') expect(event.text.isWellFormed()).toBe(true)
})
