// Recordings and files on Telegram, in both directions, through a real bot; and a group that becomes a supergroup.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useTestDatabase } from '@quartermaster/db/testing'
import { toApiName } from '@quartermaster/tools'
import { expect, onTestFinished, test, vi } from 'vitest'
import { limits, onePixel } from '../emulators/telegram/index.ts'
import { transcriptOf } from './run-setup.ts'
import { until } from './start-bot.ts'
import { setUpTelegram } from './telegram-setup.ts'

const database = useTestDatabase()
vi.setConfig({ testTimeout: 120_000 })

/** A recording by its first bytes. What is "said" in it stands behind a mark, so that a listener can repeat it. */
const voice = (words = '') =>
  Buffer.concat([Buffer.from('OggS'), Buffer.alloc(24), Buffer.from(`OpusHead\0SAY:${words}\n`)])
const song = (words = '') =>
  Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413), Buffer.from(`\0SAY:${words}\n`)])
const heardIn = (recording: string) => /SAY:(.*)\n/.exec(recording)?.[1] ?? 'nothing'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'qm-voice-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** A program that listens: it prints what is said in the file that it is given. */
function listeningCommand(): Record<string, string> {
  const program = join(folder(), 'listen.mjs')
  writeFileSync(
    program,
    `import { readFileSync } from 'node:fs'
console.log(/SAY:(.*)\\n/.exec(readFileSync(process.argv[2], 'latin1'))[1])\n`,
  )
  return { AUDIO_TRANSCRIBE_COMMAND: `${process.execPath} ${program} {file}` }
}

/** An endpoint that listens. */
async function listeningEndpoint(): Promise<Record<string, string>> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += (chunk as Buffer).toString('latin1')
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ text: heardIn(body) }))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => new Promise((done) => server.close(() => done(undefined))))
  return { AUDIO_TRANSCRIBE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/audio/transcriptions` }
}

test.each([
  ['a program', listeningCommand],
  ['an endpoint', listeningEndpoint],
] as const)('a voice message and an audio file are fetched and written down by %s', async (_, listening) => {
  const { connect, join: joinAs, answer, telegram } = await setUpTelegram(database)
  const ada = await joinAs('Ada')
  await connect(await listening())
  const spoken = ada.sendVoice({ bytes: voice('Buy some tea.') })
  const first = await answer(ada, 'Buy some tea.')
  expect(first.text).toContain(`voice-${spoken.message_id}.ogg`)
  expect(first.text).toContain('audio/ogg')
  ada.sendAudio({ bytes: song('And some milk.'), name: 'memo.mp3', caption: 'my list' })
  const second = await answer(ada, 'And some milk.')
  expect(second.text).toContain('memo.mp3')
  expect(second.text).toContain('my list')
  expect(telegram.calls('getFile')).toHaveLength(2)
})

test('where nothing can listen the model is told that the recording is there', async () => {
  const { connect, join: joinAs, answer, runs } = await setUpTelegram(database)
  const ada = await joinAs('Ada')
  await connect()
  const spoken = ada.sendVoice({ bytes: voice('Buy some tea.') })
  const { text } = await answer(ada, 'nothing that can listen is connected here')
  const name = `voice-${spoken.message_id}.ogg`
  expect(text).toContain(name)
  expect(text).not.toContain('Buy some tea.')
  // It is kept, so that a tool finds it by its name as soon as something can listen.
  const [run] = await runs()
  const { rows } = await database.db.pool.query('SELECT name FROM chat_files WHERE conversation_id = $1', [
    run?.conversationId,
  ])
  expect(rows).toEqual([{ name }])
})

test('a file that is larger than what Telegram gives to bots is said in words, and the words beside it are read', async () => {
  const { connect, join: joinAs, answer, telegram } = await setUpTelegram(database)
  const ada = await joinAs('Ada')
  await connect()
  ada.sendDocument({ name: 'film.bin', bytes: Buffer.alloc(limits.downloadBytes + 1), caption: 'look at this' })
  const { text } = await answer(ada, 'look at this')
  expect(text).toMatch(/“film\.bin” could not be read\. .*larger than.* 20 MB/)
  expect(telegram.calls('getFile')).toEqual([])
})

test('what an agent sends is seen and heard as what it is, within what Telegram takes', async () => {
  const send = (input: Record<string, unknown>) => ({ tool: toApiName('media.send'), input })
  const data = (bytes: Buffer, mimeType: string, filename: string) =>
    send({ data: bytes.toString('base64'), mimeType, filename })
  const calls = [
    data(onePixel, 'image/png', 'dot.png'),
    data(voice('x'), 'audio/ogg', 'note.ogg'),
    data(song('x'), 'audio/mpeg', 'song.mp3'),
    data(Buffer.from('a,b\n1,2\n'), 'text/csv', 'table.csv'),
    send({ path: 'poster.png', caption: 'c'.repeat(1_000) }),
    send({ path: 'huge.bin' }),
  ]
  let step = 0
  const setup = await setUpTelegram(database, () => {
    const call = calls[step++]
    return { content: [call ?? { text: 'That was all.' }] }
  })
  const { workspaceId, agentId } = setup.workspace
  // An agent without attachments has every core tool.
  await database.db.pool.query('DELETE FROM agent_tools WHERE agent_id = $1', [agentId])
  const root = folder()
  mkdirSync(join(root, workspaceId))
  writeFileSync(
    join(root, workspaceId, 'poster.png'),
    Buffer.concat([onePixel, Buffer.alloc(limits.photoBytes + 1 - onePixel.length)]),
  )
  writeFileSync(join(root, workspaceId, 'huge.bin'), Buffer.alloc(26 * 1024 * 1024))
  const ada = await setup.join('Ada')
  await setup.connect({ WORKSPACE_ROOT: root })
  ada.say('send me everything')
  await setup.answer(ada, 'That was all.')
  const seen = setup.said(ada)
  expect(seen.map(({ kind, fileName }) => [kind, fileName])).toEqual([
    ['photo', undefined],
    ['voice', undefined],
    ['audio', 'song.mp3'],
    ['document', 'table.csv'],
    // Too large to be shown, so it goes as a file.
    ['document', 'poster.png'],
    ['rich', undefined],
  ])
  expect(seen[4]?.text).toBe('c'.repeat(1_000))
  const [run] = await setup.runs()
  const results = (await transcriptOf(database.db, run?.conversationId ?? '')).filter(({ role }) => role === 'tool')
  expect(JSON.stringify(results.at(-1))).toMatch(/25(\.0)? MB/)
})

test('a group becomes a supergroup: its open card counts, the answer comes to the new group, and so does the next', async () => {
  const setup = await setUpTelegram(database, (request) => {
    const said = JSON.stringify(request.messages)
    if (said.includes('tool_result')) return { content: [{ text: 'It is marked.' }] }
    if (said.includes('mark it')) return { content: [{ tool: toApiName('sample.confirmed'), input: { text: 'x' } }] }
    return { content: [{ text: 'Still here.' }] }
  })
  const { telegram, connect, said, answer, runs, ended, effects } = setup
  const ada = await setup.join('Ada', 'approver')
  const group = telegram.group({ title: 'Ops', members: [ada], type: 'group' })
  const old = group.id
  await connect()
  ada.mention('mark it', { chat: group })
  const card = await telegram.until(
    () => said(group).find(({ keyboard }) => keyboard.flat().some(({ label }) => label === '✅ Approve')),
    45_000,
  )
  const id = group.upgrade()
  expect(group.id).toBe(id)
  ada.click('✅ Approve', { chat: old, message: card.message })
  await answer(group, 'It is marked.')
  expect(effects()).toHaveLength(1)
  const [first] = await until(runs, (all) => all.length === 1, 45_000)
  expect((await ended(first?.id ?? '', 45_000)).status).toBe('succeeded')
  // Telegram's new number is another place: what is said there begins a conversation of its own.
  ada.mention('are you there?', { chat: group })
  await answer(group, 'Still here.')
  expect((await runs()).map(({ key }) => key)).toEqual([String(old), String(id)])
  // A message that showed the work is taken away a moment after the answer.
  await telegram.until(() => said(group).length === 2, 45_000)
  expect(said(group).map(({ text }) => text)).toEqual(['It is marked.', 'Still here.'])
  // Telegram lets nobody change the old group's card any more: that is given up with its reason, and holds up nothing.
  const deliveries = await until(
    () => database.db.prisma.delivery.findMany({ where: { channelId: setup.channelId } }),
    (all) => all.every(({ status }) => status === 'sent' || status === 'failed'),
    45_000,
  )
  ada.click('✅ Approve', { chat: old, message: card.message })
  const notice = await telegram.until(() => telegram.notices(ada).find(({ isAlert }) => isAlert), 45_000)
  expect(notice.text).toContain('Approved by Ada')
  expect(effects()).toHaveLength(1)
  const failed = deliveries.filter(({ status }) => status === 'failed')
  expect(failed.map(({ kind, error }) => [kind, error])).toEqual([
    ['card-update', expect.stringContaining('upgraded to a supergroup')],
  ])
})
