// The trace of a run as plain data: the server makes it from the records, the page draws it.

export type SpanLook = 'model' | 'ok' | 'bad' | 'wait' | 'mute'

export interface Span {
  /** Milliseconds since the run was queued. */
  from: number
  to: number
  look: SpanLook
}

export interface TraceItem {
  /** For the address: `?item=`. */
  key: string
  kind: 'message' | 'model' | 'call' | 'question' | 'child'
  label: string
  /** What follows the label, e.g. the path of a file. */
  note: string | null
  tag: { tone: 'ok' | 'wait' | 'bad' | 'warn' | 'accent' | 'mute'; word: string } | null
  nested: boolean
  spans: Span[]
  durationMs: number | null
  /** Of a model call, in millionths of a dollar. */
  costMicros: number | null
  /** Another page that shows it whole: a child run. */
  href: string | null
}

export interface Timeline {
  items: TraceItem[]
  /** Where nobody worked on it: in the queue, or waiting for people. Drawn shorter than it was. */
  idle: { from: number; to: number }[]
  /** Milliseconds from the first to the last moment. */
  length: number
}
