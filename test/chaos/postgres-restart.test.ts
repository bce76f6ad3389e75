import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate, openDatabase } from '@quartermaster/db'
import { startEmbeddedPostgres } from '@quartermaster/db/embedded-postgres'
import { toApiName } from '@quartermaster/tools'
import { expect, onTestFinished, test } from 'vitest'
import { deliveriesOf, setUpRuns, transcriptOf } from '../e2e/run-setup.ts'
import { until } from '../e2e/start-bot.ts'

test('a run whose database restarts in the middle goes on by itself, and nothing is done or said twice', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'qm-restart-'))
  let server = await startEmbeddedPostgres({ dataDir, ephemeral: true })
  await migrate(server.url)
  // A restarted server is at another port; to those who use it, it stays where it was.
  const door = await openDoor(() => server.port)
  const url = server.url.replace(`:${server.port}/`, `:${door.port}/`)
  const db = openDatabase(url, { name: 'test' })
  onTestFinished(async () => {
    await db.close()
    door.close()
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const setup = await setUpRuns({ db, url }, (request) => {
    const results = JSON.stringify(request.messages).split('tool_result').length - 1
    return results < 3
      ? {
          content: [
            { text: `Step ${results + 1}.` },
            { tool: toApiName('sample.mark'), input: { text: 'x', ms: 700 } },
          ],
        }
      : { content: [{ text: 'The end.' }] }
  })
  const { runId, conversationId } = await setup.say('go')
  await setup.start()
  for (const effects of [1, 2]) {
    await until(
      async () => setup.effects().length,
      (count) => count >= effects,
      40_000,
    )
    await server.stop()
    server = await startEmbeddedPostgres({ dataDir, ephemeral: true })
  }
  expect(await setup.ended(runId, 30_000)).toMatchObject({ status: 'succeeded', steps: 4 })
  expect(setup.effects()).toHaveLength(3)
  expect((await transcriptOf(db, conversationId)).filter(({ role }) => role === 'tool')).toHaveLength(3)
  const texts = (await deliveriesOf(db, conversationId)).flatMap(({ kind, markdown }) =>
    kind === 'text' ? [markdown] : [],
  )
  expect(texts).toEqual(['Step 1.', 'Step 2.', 'Step 3.', 'The end.'])
}, 150_000)

async function openDoor(portOf: () => number): Promise<{ port: number; close(): void }> {
  const server = createServer((client) => {
    const upstream = connect(portOf(), '127.0.0.1')
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() }
}
