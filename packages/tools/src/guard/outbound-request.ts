// What a tool may ask the network for, and what it gets. There is one way out (outbound.ts), for tools and for the
// browser's pages alike.

export interface OutboundRequest {
  url: string
  method: string
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** Only these hosts (`example.com`, `*.example.com`), at every redirect; all public ones where it is left out. */
  allowedHosts?: readonly string[]
  /** Bytes of the body, decompressed, that are read; then the source is stopped. */
  maxBytes: number
  timeoutMs: number
  signal: AbortSignal
}

export interface OutboundAnswer {
  /** After redirects. */
  url: string
  status: number
  headers: ReadonlyMap<string, string>
  body: Uint8Array
  /** The body was longer. */
  truncated: boolean
}

export interface Outbound {
  /** Throws an OutboundProblem, and nothing else, where there is no answer. */
  request(request: OutboundRequest): Promise<OutboundAnswer>
}

/** A sentence for the model: what was refused or failed, and what would help. */
export class OutboundProblem extends Error {
  readonly code: 'blocked' | 'unreachable' | 'timeout' | 'stopped' | 'bad-answer' | 'bad-address'
  constructor(code: OutboundProblem['code'], message: string) {
    super(message)
    this.code = code
  }
}
