import { Readable } from 'node:stream'
import { apiLimits as limits } from './limits.ts'

export const exportFormats = ['csv', 'jsonl'] as const
export type ExportFormat = (typeof exportFormats)[number]

export type ExportValue = string | number | boolean | Date | null | object

interface Reader {
  /** What ended the stream early is for the log; the file then ends in the middle, without its last line break. */
  signal: AbortSignal
  /** Asked now and then while somebody takes the file: who lost their access gets no more of it. */
  isStillAllowed: () => Promise<boolean>
  checkMs?: number
}

interface StreamRows extends Reader {
  /** The file's name without its ending. */
  name: string
  format: ExportFormat
  columns: readonly string[]
  /** Read page by page as the browser takes them: an export of millions of rows is never in memory as a whole. */
  rows: AsyncIterable<Readonly<Record<string, ExportValue>>>
}

/** A list as a file, written while it is read. */
export function streamRows({ name, format, columns, rows, ...reader }: StreamRows): Response {
  const writeRow = format === 'csv' ? csvLine : jsonLine
  async function* lines() {
    if (format === 'csv') yield `${columns.map(csvCell).join(',')}\r\n`
    for await (const row of rows) yield writeRow(columns, row)
  }
  const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson'
  return streamLines({ file: `${name}.${format}`, type, lines: lines(), ...reader })
}

interface StreamLines extends Reader {
  /** The file's name; null where it is for a program that reads along. */
  file: string | null
  type: string
  /** With their line breaks. */
  lines: AsyncIterable<string>
}

/** Lines of any kind, written while they are made. */
export function streamLines({
  file,
  type,
  lines,
  signal,
  isStillAllowed,
  checkMs = limits.exportCheckMs,
}: StreamLines): Response {
  async function* wanted() {
    let checkedAt = Date.now()
    for await (const line of lines) {
      if (signal.aborted) return
      if (Date.now() - checkedAt >= checkMs) {
        if (!(await isStillAllowed())) throw new Error('whoever took a file lost their access in the middle of it')
        checkedAt = Date.now()
      }
      yield line
    }
  }
  const body = Readable.toWeb(Readable.from(wanted(), { objectMode: true }).setEncoding('utf8')) as ReadableStream
  return new Response(body.pipeThrough(new TextEncoderStream()), {
    headers: {
      'Content-Type': `${type}; charset=utf-8`,
      ...(file ? { 'Content-Disposition': `attachment; filename="${file}"` } : {}),
      'Cache-Control': 'no-store',
    },
  })
}

type Row = Readonly<Record<string, ExportValue>>

const jsonLine = (columns: readonly string[], row: Row) =>
  `${JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column] ?? null])))}\n`

const csvLine = (columns: readonly string[], row: Row) =>
  `${columns.map((column) => csvCell(row[column] ?? null)).join(',')}\r\n`

/**
 * What a stranger wrote must not become a formula in somebody's spreadsheet. Some of them pass over what is blank before
 * it, and take the wide forms of these characters for the same.
 */
const startsFormula = /^(?:[\s\0]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])/

function csvCell(value: ExportValue): string {
  if (value === null) return ''
  const text =
    value instanceof Date ? value.toISOString() : typeof value === 'object' ? JSON.stringify(value) : String(value)
  const safe = typeof value === 'string' && startsFormula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
