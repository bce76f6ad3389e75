// What the guard adds to a request: the same one with undici plainly and through the guard, taking turns. On a kept
// connection, which is the usual case, and on a new one each, where the address is judged as well.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOutbound } from '@quartermaster/tools'
import { Agent, request as plainRequest } from 'undici'
import { type Bench, type Measurement, percentile, timeEach } from './measure.ts'

const times = 2_000

const bench: Bench = {
  about: `a GET of 10 KB on this machine, ${times} times each, plainly and through the guard, in ms`,
  async run() {
    return [await measure('kept connection', 'keep-alive'), await measure('new connection', 'close')].flat()
  },
}
export default bench

async function measure(what: string, connection: 'keep-alive' | 'close'): Promise<Measurement[]> {
  const body = 'x'.repeat(10_000)
  const server = createServer((_request, response) => response.writeHead(200, { connection }).end(body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const agent = new Agent({ allowH2: false })
  const outbound = createOutbound({ allowPrivate: ['127.0.0.1'] })
  const { signal } = new AbortController()
  const plain = async () => (await plainRequest(url, { dispatcher: agent })).body.bytes()
  const guarded = async () =>
    (await outbound.request({ url, method: 'GET', maxBytes: 100_000, timeoutMs: 10_000, signal })).body
  const mustBeWhole = (got: Uint8Array) => {
    if (got.byteLength !== body.length) throw new Error(`${got.byteLength} bytes came`)
  }
  const durations = { plain: [] as number[], guarded: [] as number[] }
  for (let index = 0; index < times + 200; index++) {
    const [one] = await timeEach(1, async () => mustBeWhole(await plain()))
    const [other] = await timeEach(1, async () => mustBeWhole(await guarded()))
    if (index < 200) continue
    durations.plain.push(one as number)
    durations.guarded.push(other as number)
  }
  await Promise.all([agent.destroy(), outbound.close()])
  server.closeAllConnections()
  server.close()
  const figures = (list: number[]) => ({ p50: percentile(list, 0.5), p95: percentile(list, 0.95) })
  const [plainly, guard] = [figures(durations.plain), figures(durations.guarded)]
  return [
    { what: `${what}, undici plainly`, figures: plainly },
    { what: `${what}, guarded`, figures: { ...guard, 'added p50': guard.p50 - plainly.p50 } },
  ]
}
