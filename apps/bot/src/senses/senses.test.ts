// Looking and listening over real sockets and with a real program.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ModelUse } from '@quartermaster/tools'
import { afterEach, expect, test } from 'vitest'
import { createAnthropicModel } from '../model/index.ts'
import { startOfflineModel } from '../model/offline/index.ts'
import { createSenses } from './create-senses.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})
const never = new AbortController().signal
const recording = {
  mimeType: 'audio/wav',
  filename: 'recording.wav',
  data: Buffer.from('RIFF words').toString('base64'),
}

async function startEndpoint(answer: { status?: number; body?: string; location?: string; hang?: boolean }) {
  const requests: { headers: IncomingMessage['headers']; body: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('latin1').on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      requests.push({ headers: request.headers, body })
      if (answer.hang) return
      response.writeHead(answer.status ?? 200, answer.location ? { location: answer.location } : {})
      response.end(answer.body ?? '{"text": "Hello there."}')
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  closing.push(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/audio/transcriptions`
  return { requests, url }
}

const listening = (url: string) =>
  createSenses({ model: null, listening: { endpoint: { url, key: 'k-1', model: 'whisper-1' } } })

test('an endpoint like OpenAI’s gets the recording, the model, the language and the key', async () => {
  const { requests, url } = await startEndpoint({})
  expect(await listening(url).listen(recording, { language: 'de' }, never)).toBe('Hello there.')
  expect(requests[0]?.headers.authorization).toBe('Bearer k-1')
  for (const part of ['RIFF words', 'filename="recording.wav"', 'whisper-1', 'name="language"'])
    expect(requests[0]?.body).toContain(part)
})

test.each([
  ['refuses', { status: 401, body: '{"error": "k-1 is wrong"}' }, /status 401/],
  ['answers something else', { body: '<html>' }, /no transcription/],
  ['answers JSON without words', { body: '{"words": 1}' }, /no transcription/],
  ['answers for ever', { body: 'x'.repeat(3 * 1024 * 1024) }, /more than/],
  ['sends us elsewhere', { status: 302, location: 'http://169.254.169.254/' }, /cannot be reached/],
])('an endpoint that %s is a sentence, without the key', async (_what, answer, problem) => {
  const { url } = await startEndpoint(answer)
  const error: Error = await listening(url)
    .listen(recording, {}, never)
    .catch((thrown) => thrown)
  expect(error.message).toMatch(problem)
  expect(error.message).not.toContain('k-1')
})

test('an endpoint that does not answer is let go when the call is stopped', async () => {
  const { url } = await startEndpoint({ hang: true })
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 50)
  const began = performance.now()
  await expect(listening(url).listen(recording, {}, stop.signal)).rejects.toThrow()
  expect(performance.now() - began).toBeLessThan(1_000)
})

const program = (...command: string[]) => createSenses({ model: null, listening: { command } })

test('a program of the machine gets the recording as a file, without a shell and without our settings', async () => {
  expect(await program('/bin/cat', '{file}').listen(recording, {}, never)).toBe('RIFF words')
  expect(await program('/bin/echo', '{language}', '$HOME;').listen(recording, { language: 'en' }, never)).toBe(
    'en $HOME;\n',
  )
  expect(await program('/usr/bin/env', '-u', '{file}').listen(recording, {}, never)).not.toMatch(/NODE|VITEST|QM_/)
})

test('a program that fails, is not there, or does not end is a sentence', async () => {
  await expect(program('/bin/false', '{file}').listen(recording, {}, never)).rejects.toThrow('exit code 1')
  await expect(program('/nonexistent/whisper', '{file}').listen(recording, {}, never)).rejects.toThrow('ENOENT')
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 50)
  const began = performance.now()
  await expect(
    program('/bin/sh', '-c', 'sleep 30 & sleep 30 # {file}').listen(recording, {}, stop.signal),
  ).rejects.toThrow('stopped')
  expect(performance.now() - began).toBeLessThan(1_000)
})

test('a picture is put to the model with the question, and nothing is set up is null', async () => {
  const asked: unknown[] = []
  const offline = await startOfflineModel({
    script: (request) => {
      asked.push(request.messages)
      return { content: [{ text: 'A red dot.' }] }
    },
  })
  closing.push(() => offline.close())
  const model = createAnthropicModel({ apiKey: offline.apiKey, baseUrl: offline.baseUrl })
  const png = { mimeType: 'image/png', data: 'iVBORw0KGgo=' }
  const spent: ModelUse[] = []
  const caller = { signal: never, spend: (use: ModelUse) => void spent.push(use) }
  expect(await createSenses({ model, listening: null }).look(png, 'Which colour?', caller)).toBe('A red dot.')
  expect(spent).toMatchObject([{ inputTokens: expect.any(Number), outputTokens: expect.any(Number) }])
  expect(spent[0]?.inputTokens).toBeGreaterThan(0)
  expect(JSON.stringify(asked)).toContain('"media_type":"image/png"')
  expect(JSON.stringify(asked)).toContain('Which colour?')
  const none = createSenses({ model: null, listening: null })
  expect([await none.look(png, '?', caller), await none.listen(recording, {}, never)]).toEqual([null, null])
})
