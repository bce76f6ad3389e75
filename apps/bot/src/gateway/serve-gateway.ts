import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Problem } from '@quartermaster/db'
import type { Hono } from 'hono'
import { limits } from '../limits.ts'
import { findPortHolder } from './find-port-holder.ts'

export interface ServedGateway {
  url: string
  /** Takes no new requests, lets the open ones end, and cuts those that take too long. */
  close(): Promise<void>
}

/** Resolves when it listens; a Problem says why it cannot. */
export async function serveGateway(app: Hono, where: { port: number; bind: string }): Promise<ServedGateway> {
  const server = createServer(
    // A client that sends slowly or never ends its request must not hold a connection for ever.
    { requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 5_000 },
    getRequestListener(app.fetch),
  )
  await listen(server, where)
  const host = where.bind.includes(':') ? `[${where.bind}]` : where.bind
  return { url: `http://${host}:${where.port}`, close: () => close(server) }
}

function listen(server: Server, { port, bind }: { port: number; bind: string }): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', (error: NodeJS.ErrnoException) => failed(explain(error, port, bind)))
    server.listen(port, bind, done)
  })
}

function explain(error: NodeJS.ErrnoException, port: number, bind: string): Error {
  if (error.code === 'EADDRINUSE') {
    const holder = findPortHolder(port)
    const who = holder ? `is taken by ${holder.command} (process ${holder.pid})` : 'is taken by another program'
    return new Problem(
      `Port ${port}, which QM_BOT_PORT gives to the bot, ${who}.`,
      'Stop that program, or set QM_BOT_PORT to a free port.',
      { cause: error },
    )
  }
  if (error.code === 'EACCES')
    return new Problem(`This user may not listen on port ${port}.`, 'Set QM_BOT_PORT to a port above 1023.', {
      cause: error,
    })
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new Problem(
      `QM_BIND is not an address of this machine (${bind}).`,
      'Set QM_BIND to 127.0.0.1 (this machine only) or 0.0.0.0 (every network it is in).',
      { cause: error },
    )
  return error
}

function close(server: Server): Promise<void> {
  return new Promise((done) => {
    const cut = setTimeout(() => server.closeAllConnections(), limits.drainMs)
    server.close(() => {
      clearTimeout(cut)
      done()
    })
    server.closeIdleConnections()
  })
}
