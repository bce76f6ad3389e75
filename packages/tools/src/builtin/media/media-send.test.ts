import { execFileSync } from 'node:child_process'
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { ToolResult } from '../../contract.ts'
import { sampleContext } from '../../testing/sample-tools.ts'
import { describeToolContract } from '../../testing/tool-contract.ts'
import { mediaLimits } from './limits.ts'
import { createMediaSendTool } from './media-send.ts'
import { createMediaBench, png, wav } from './testing-media.ts'

const bench = createMediaBench()
const tool = createMediaSendTool(bench)
const data = png.toString('base64')
const send = async (args: Parameters<typeof tool.execute>[0]) =>
  (await tool.execute(args, sampleContext({ toolCallId: 'toolu_1' }))) as ToolResult

beforeEach(() => {
  bench.sent = []
  bench.problem = null
})

describeToolContract(tool, {
  validArguments: { data, mimeType: 'image/png', filename: 'dot.png' },
  invalidArguments: [{ data: '', mimeType: 'image/png' }, { path: '' }, { url: 'https://example.com/a.png' }],
})

test('data of the Flynn document arrives in the chat as it is, under the name that was given', async () => {
  expect(await send({ data, mimeType: 'image/png', filename: 'dot.png' })).toMatchObject({
    success: true,
    output: `Sent dot.png (image/png, ${png.length} bytes) to the chat.`,
  })
  expect(bench.sent).toEqual([{ toolCallId: 'toolu_1', data, mimeType: 'image/png', filename: 'dot.png' }])
})

test('a file of the work folder and a virtual file go by their names, with a caption', async () => {
  writeFileSync(join(bench.folder, 'sound.wav'), wav)
  bench.virtual.set('/notes.md', Buffer.from('# Grüße\n'))
  await send({ path: 'sound.wav', caption: 'Listen' })
  await send({ virtual_path: '/notes.md' })
  expect(bench.sent).toMatchObject([
    { filename: 'sound.wav', mimeType: 'audio/wav', caption: 'Listen', data: wav.toString('base64') },
    { filename: 'notes.md', mimeType: 'text/plain' },
  ])
})

test('what a file is, its bytes say: a wrong subtype is put right, a wrong kind is refused', async () => {
  await send({ data, mimeType: 'image/jpeg' })
  expect(bench.sent).toMatchObject([{ mimeType: 'image/png', filename: 'file.png' }])
  const page = Buffer.from('<html><script>alert(1)</script></html>').toString('base64')
  expect(await send({ data: page, mimeType: 'image/png' })).toMatchObject({
    success: false,
    error: expect.stringContaining('The data is not image/png'),
  })
  await send({ data: page, mimeType: 'text/html', filename: 'a.html' })
  expect(bench.sent[1]).toMatchObject({ mimeType: 'text/plain', filename: 'a.html' })
})

test('a name shows nothing that it is not, and leads into no folder', async () => {
  await send({ data, mimeType: 'image/png', filename: '../../etc/‮gnp.exe\n' })
  await send({ data, mimeType: 'image/png', filename: '...' })
  await send({ data, mimeType: 'image/png', filename: `${'x'.repeat(200)}.png` })
  expect(bench.sent.map(({ filename }) => filename)).toEqual(['gnp.exe', 'file', `${'x'.repeat(116)}.png`])
})

test('bad input gets a sentence that helps', async () => {
  execFileSync('mkfifo', [join(bench.folder, 'pipe')])
  symlinkSync('/etc/passwd', join(bench.folder, 'link'))
  writeFileSync(join(bench.folder, 'huge'), '')
  truncateSync(join(bench.folder, 'huge'), 5 * 1024 ** 3)
  writeFileSync(join(bench.folder, 'empty'), '')
  const cases: [Parameters<typeof tool.execute>[0], RegExp][] = [
    [{}, /exactly one of data, path, virtual_path/],
    [{ data, mimeType: 'image/png', path: 'a' }, /not data and path/],
    [{ data }, /mimeType/],
    [{ data: '!!!', mimeType: 'image/png' }, /not base64/],
    [{ data: 'AAAAA', mimeType: 'image/png' }, /not base64/],
    [{ path: '../../etc/passwd' }, /./],
    [{ path: '/etc/passwd' }, /./],
    [{ path: 'link' }, /./],
    [{ path: 'pipe' }, /pipe/],
    [{ path: 'nothing.png' }, /nothing\.png/],
    [{ path: 'huge' }, /too large/],
    [{ path: 'empty' }, /empty/],
    [{ virtual_path: '/nothing' }, /There is no file/],
  ]
  for (const [args, error] of cases) {
    const result = await send(args)
    expect(result, JSON.stringify(args)).toMatchObject({ success: false, error: expect.stringMatching(error) })
    expect(result.error).not.toContain('root:')
  }
  expect(bench.sent).toEqual([])
})

test('a data: address is taken for what is in it', async () => {
  await send({ data: `data:image/png;base64,${data}`, mimeType: 'image/png' })
  expect(bench.sent).toMatchObject([{ data }])
})

test('what the platform does not take is told to the model', async () => {
  bench.problem = 'A file has at most 10 MB here.'
  expect(await send({ data, mimeType: 'image/png' })).toMatchObject({ success: false, error: bench.problem })
})

test('the card says what goes to whom', () => {
  expect(tool.summarize?.({ path: 'report.pdf', caption: 'Here' })).toEqual({
    title: 'Send report.pdf to the people in this conversation',
    facts: [
      { label: 'File', value: 'report.pdf' },
      { label: 'Caption', value: 'Here' },
    ],
    recipients: ['everybody in this conversation'],
  })
  expect(mediaLimits.sendBytes).toBeGreaterThan(0)
})
