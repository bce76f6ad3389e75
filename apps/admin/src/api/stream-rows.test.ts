import { expect, test } from 'vitest'
import { type ExportFormat, type ExportValue, streamRows } from './stream-rows.ts'

const columns = ['id', 'at', 'note', 'data']
async function* rows() {
  yield { id: 1, at: new Date(0), note: 'says "hi", twice\n', data: { a: [1] } }
  yield { id: 2, at: null, note: '=SUM(A1)', data: null }
}

const reader = { signal: new AbortController().signal, isStillAllowed: async () => true }
const write = (format: ExportFormat) => streamRows({ name: 'calls', format, columns, rows: rows(), ...reader })

test('CSV quotes what would break a line, and what would be a formula is text', async () => {
  const answer = write('csv')
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="calls.csv"')
  expect(await answer.text()).toBe(
    'id,at,note,data\r\n1,1970-01-01T00:00:00.000Z,"says ""hi"", twice\n","{""a"":[1]}"\r\n2,,\'=SUM(A1),\r\n',
  )
})

test('whatever a spreadsheet may take for a formula is text, and what is none stays as it is', async () => {
  const written = async (note: ExportValue) => {
    async function* row() {
      yield { id: null, at: null, note, data: null }
    }
    const { signal } = new AbortController()
    const answer = streamRows({
      name: 'calls',
      format: 'csv',
      columns: ['note'],
      rows: row(),
      signal,
      isStillAllowed: async () => true,
    })
    return (await answer.text()).split('\r\n').slice(1, -1).join('\r\n')
  }
  for (const formula of ['=1+1', '+1', '-1', '@SUM(A1)', ' =1', '\t=1', '\u00a0=1', '＝1', '＠x'])
    expect([formula, await written(formula)]).toEqual([formula, `'${formula}`])
  for (const quoted of ['\n=1', '\r=1', '=1,2']) expect(await written(quoted)).toBe(`"'${quoted}"`)
  for (const plain of ['1=1', 'a-b', 'ada@example.com', '']) expect(await written(plain)).toBe(plain)
  expect(await written(-1)).toBe('-1')
})

test('JSONL has a whole object on each line', async () => {
  const lines = (await write('jsonl').text()).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { id: 1, at: '1970-01-01T00:00:00.000Z', note: 'says "hi", twice\n', data: { a: [1] } },
    { id: 2, at: null, note: '=SUM(A1)', data: null },
  ])
})

test('rows are read as they are taken, and no further once nobody takes them', async () => {
  let read = 0
  let closed = false
  async function* endless() {
    try {
      for (;;) yield { id: ++read, at: null, note: 'x'.repeat(10_000), data: null }
    } finally {
      closed = true
    }
  }
  const answer = streamRows({ name: 'calls', format: 'jsonl', columns, rows: endless(), ...reader })
  const taking = (answer.body as ReadableStream<Uint8Array>).getReader()
  await taking.read()
  await taking.cancel()
  await expect.poll(() => closed).toBe(true)
  expect(read).toBeLessThan(200)
})

test('who loses their access while they take a file gets no more of it, and never its end', async () => {
  async function* endless() {
    for (let id = 1; ; id++) yield { id, at: null, note: '', data: null }
  }
  const asked: boolean[] = []
  const isStillAllowed = async () => {
    asked.push(asked.length < 3)
    return asked.length <= 3
  }
  const answer = streamRows({
    ...{ name: 'calls', format: 'jsonl', columns, rows: endless() },
    ...{ signal: reader.signal, isStillAllowed, checkMs: 0 },
  })
  await expect(answer.text()).rejects.toThrow('lost their access')
  expect(asked).toEqual([true, true, true, false])
})
