import { readdirSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { holdsUnlikePlantedBug } from '../guard/planted-bug.ts'
import { SandboxProblem } from './sandbox.ts'
import { describeNeeding, machineSandbox } from './testing/needs.ts'
import { tryScript, weakened } from './testing/try-program.ts'

describeNeeding(['bubblewrap'], 'a list of hosts', () => {
  let servers: Server[]
  let allowed: number
  let forbidden: number
  const seen: string[] = []
  beforeAll(async () => {
    servers = ['allowed', 'forbidden'].map((name) =>
      createServer((request, response) => {
        seen.push(`${name} ${request.url}`)
        response.end(`from ${name}`)
      }),
    )
    await Promise.all(servers.map((server) => new Promise<void>((done) => server.listen(0, '127.0.0.1', done))))
    ;[allowed, forbidden] = servers.map((server) => (server.address() as AddressInfo).port) as [number, number]
  })
  afterAll(() => servers.forEach((server) => void server.close()))
  const fetching = (address: string) =>
    `python3 -c "import urllib.request as r; print(r.urlopen('${address}', timeout=5).read().decode())" 2>&1 | tail -1`

  test('lets through to these, and to no others, by no other way', () =>
    holdsUnlikePlantedBug(
      machineSandbox(),
      weakened(machineSandbox(), (request) => ({ ...request, network: 'all' })),
      async (sandbox) => {
        seen.length = 0
        const script = [
          fetching(`http://127.0.0.1:${allowed}/good`),
          fetching(`http://127.0.0.1:${forbidden}/bad`),
          fetching(`http://2130706433:${forbidden}/bad`),
          fetching(`http://localhost:${forbidden}/bad`),
          `unset http_proxy HTTP_PROXY all_proxy ALL_PROXY; ${fetching(`http://127.0.0.1:${allowed}/direct`)}`,
        ].join('\n')
        const { stdout } = await tryScript(sandbox, script, { network: { hosts: [`127.0.0.1:${allowed}`] } })
        expect(stdout.split('\n')[0]).toBe('from allowed')
        expect(seen).toEqual(['allowed /good'])
      },
    ))

  test('gives back exit codes and the rest as without it', async () => {
    const end = await tryScript(machineSandbox(), 'cat; exit 4', { network: { hosts: ['example.com'] }, input: 'text' })
    expect(end).toMatchObject({ exitCode: 4, stdout: 'text' })
  })

  test.each(['*', 'http://example.com', 'a b', '*.com', ''])('refuses %j, which is no host', async (host) => {
    await expect(tryScript(machineSandbox(), 'true', { network: { hosts: [host] } })).rejects.toThrow(SandboxProblem)
  })

  test('leaves nothing in the folder for temporary files, refused or not', async () => {
    const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith('qm-hosts-'))
    const before = left()
    await tryScript(machineSandbox(), 'true', { network: { hosts: ['example.com'] } })
    await tryScript(machineSandbox(), 'true', { network: { hosts: ['*'] } }).catch(() => {})
    await tryScript(machineSandbox(), 'true', { network: { hosts: ['a.com'] }, cwd: '/nonexistent' }).catch(() => {})
    expect(left()).toEqual(before)
  })
})
