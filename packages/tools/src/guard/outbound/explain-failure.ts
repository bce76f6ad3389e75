import { OutboundProblem } from '../outbound-request.ts'

/** What failed, in a sentence of ours: a library's words help a model little, and may quote what the server sent. */
export function explainFailure(error: unknown, address: string): OutboundProblem {
  if (error instanceof OutboundProblem) return error
  const { code = '', message = '' } = error as { code?: string; message?: string }
  const host = URL.parse(address)?.host ?? 'The server'
  if (code.startsWith('HPE_') || (error as Error)?.name === 'HTTPParserError')
    return new OutboundProblem('bad-answer', `What ${host} sends is not HTTP.`)
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new OutboundProblem('bad-answer', `The headers that ${host} sends are too large.`)
  if (/^(?:Z_|ERR__ERROR|ERR_BROTLI|ERR_ZSTD|ZSTD_|ERR_PADDING|ERR_FORMAT)/.test(code))
    return new OutboundProblem('bad-answer', `The answer of ${host} is packed wrongly, and cannot be read.`)
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH')
    return new OutboundProblem('bad-address', `The request cannot be sent as it is: ${message}.`)
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' || code === 'UND_ERR_SOCKET' || code === 'ECONNRESET')
    return new OutboundProblem('unreachable', `${host} closed the connection before the answer was whole.`)
  if (code === 'UND_ERR_MAX_ORIGINS_REACHED')
    return new OutboundProblem('unreachable', 'Too many hosts are being reached at once. Try again in a moment.')
  return new OutboundProblem('unreachable', `The request to ${host} failed (${code || message}).`)
}
