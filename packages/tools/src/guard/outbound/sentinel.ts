// For tests. A server that nobody may reach: what counts is whether a connection arrived, not what the guard said.
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'

export interface Sentinel {
  port: number
  /** Connections so far. */
  readonly connections: number
  /** So many were open at last look: what a test leaves behind. */
  readonly open: number
  close(): Promise<void>
}

/** Listens on every address of the machine, both families: any spelling of loopback arrives. */
export const startSentinel = (): Promise<Sentinel> =>
  listen((socket) => socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 6\r\n\r\nsecret'), '::')

/** A server of raw bytes, for answers that no library would send. */
export const startRawServer = (answer: (socket: Socket) => void): Promise<Sentinel> => listen(answer, '127.0.0.1')

async function listen(answer: (socket: Socket) => void, host: string): Promise<Sentinel> {
  let connections = 0
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    // Unread, it would never see the other side's end.
    socket.resume()
    answer(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections
    },
    get open() {
      return sockets.size
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export interface Site {
  port: number
  /** `http://127.0.0.1:<port>` */
  origin: string
  close(): Promise<void>
}

/** A site that a test allows by name. */
export async function startSite(listener: RequestListener): Promise<Site> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
