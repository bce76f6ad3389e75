import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { Media, ToolResult } from '../../contract.ts'
import type { Senses } from '../../ports/senses.ts'
import { sampleContext } from '../../testing/sample-tools.ts'
import { describeToolContract } from '../../testing/tool-contract.ts'
import { createAudioTranscribeTool } from './audio-transcribe.ts'
import { createImageAnalyzeTool } from './image-analyze.ts'
import { createMediaBench, png, wav } from './testing-media.ts'

const bench = createMediaBench()
let seen: { picture: Media; question: string }[]
let heard: { recording: Media; language?: string }[]
let answer: string | null
const senses: Senses = {
  async look(picture, question) {
    seen.push({ picture, question })
    return answer
  },
  async listen(recording, options) {
    heard.push({ recording, ...options })
    return answer
  },
}
const analyze = createImageAnalyzeTool({ ...bench, senses })
const transcribe = createAudioTranscribeTool({ ...bench, senses })
const picture = { data: png.toString('base64'), mimeType: 'image/png' as const }
const recording = { data: wav.toString('base64'), mimeType: 'audio/wav' as const }
const run = async (work: ReturnType<typeof analyze.execute>) => (await work) as ToolResult

beforeEach(() => {
  seen = []
  heard = []
  answer = ' A red dot. '
  bench.received = []
})

describeToolContract(analyze, {
  validArguments: picture,
  invalidArguments: [
    { ...picture, mimeType: 'image/tiff' },
    { ...picture, prompt: '' },
  ],
})
describeToolContract(transcribe, {
  validArguments: recording,
  invalidArguments: [
    { ...recording, mimeType: 'audio/midi' },
    { ...recording, language: 'English; rm' },
  ],
})

test('a picture of the call, of the folder and of the chat is looked at, with the question that was asked', async () => {
  writeFileSync(join(bench.folder, 'dot.png'), png)
  bench.received = [{ filename: 'photo.png', mimeType: 'image/jpeg', data: picture.data }]
  expect(await run(analyze.execute({ ...picture, prompt: 'Which colour?' }, sampleContext()))).toMatchObject({
    success: true,
    output: 'A red dot.',
  })
  await analyze.execute({ path: 'dot.png' }, sampleContext())
  await analyze.execute({ attachment: 'photo.png' }, sampleContext())
  expect(seen.map(({ question }) => question)).toEqual(['Which colour?', seen[1]?.question, seen[1]?.question])
  expect(seen.map(({ picture: { mimeType } }) => mimeType)).toEqual(['image/png', 'image/png', 'image/png'])
})

test('a recording is transcribed, in the language that was said', async () => {
  bench.received = [{ filename: 'voice.wav', mimeType: 'audio/wav', data: recording.data }]
  await transcribe.execute({ attachment: 'voice.wav', language: 'de' }, sampleContext())
  expect(heard).toMatchObject([{ language: 'de', recording: { mimeType: 'audio/wav', filename: 'recording.wav' } }])
  answer = ''
  expect(await run(transcribe.execute(recording, sampleContext()))).toMatchObject({
    success: true,
    output: '(Nothing is said in it.)',
  })
})

test('what is neither is not sent anywhere', async () => {
  const text = Buffer.from('just text').toString('base64')
  expect(await run(analyze.execute({ ...picture, data: text }, sampleContext()))).toMatchObject({
    success: false,
    error: 'This is not a JPEG, PNG, GIF or WebP image: by its bytes it is text/plain.',
  })
  expect(await run(transcribe.execute({ ...recording, data: picture.data }, sampleContext()))).toMatchObject({
    success: false,
    error: 'This is not a recording: by its bytes it is image/png.',
  })
  expect(await run(transcribe.execute({ attachment: 'nothing.ogg' }, sampleContext()))).toMatchObject({
    success: false,
    error: 'Nobody sent a file of that name in this conversation.',
  })
  expect([...seen, ...heard]).toEqual([])
})

test('where nothing can see or listen, that is said, with what to set', async () => {
  answer = null
  expect(await run(analyze.execute(picture, sampleContext()))).toMatchObject({
    error: expect.stringContaining('ANTHROPIC_API_KEY'),
  })
  expect(await run(transcribe.execute(recording, sampleContext()))).toMatchObject({
    error: expect.stringContaining('AUDIO_TRANSCRIBE_URL'),
  })
})

test('what is read in a picture and heard in a recording counts as a stranger’s words', () => {
  expect([analyze.untrusted, transcribe.untrusted]).toEqual([true, true])
})
