import { expect, test } from 'vitest'
import { playgroundLimits } from './limits.ts'
import { readContent } from './read-content.ts'
import { recordingTypeOf } from './recording-type.ts'

const bytes = (text: string, length = 64) => Buffer.concat([Buffer.from(text, 'latin1'), Buffer.alloc(length)])

test.each([
  ['OggS', 'audio/ogg'],
  ['RIFF\x24\0\0\0WAVEfmt ', 'audio/wav'],
  ['fLaC', 'audio/flac'],
  ['\0\0\0\x20ftypM4A ', 'audio/mp4'],
  ['ID3\x04', 'audio/mpeg'],
  ['\xff\xfb\x90', 'audio/mpeg'],
  ['\x1aE\xdf\xa3', 'audio/webm'],
])('a recording is told by its first bytes (%#)', (start, type) => {
  expect(recordingTypeOf(bytes(start))).toBe(type)
})

test.each(['RIFF\x24\0\0\0WEBPVP8 ', '\xff\xd8\xff', '\x89PNG', 'PK\x03\x04', 'hello', '', '\xff\xf8\x90'])(
  'what is no recording is not taken for one (%#)',
  (start) => {
    expect(recordingTypeOf(bytes(start, 0))).toBeNull()
  },
)

test('a recording is named in the message, and kept beside it for the tool that listens', () => {
  const recording = bytes('OggS')
  const read = readContent('what is said?', [{ name: 'memo.ogg', bytes: recording }])
  expect(read).toMatchObject({
    ok: true,
    content: [
      { type: 'text', text: expect.stringMatching(/^\[Attached file: memo\.ogg\]\n.*audio\.transcribe/) },
      { type: 'text', text: 'what is said?' },
    ],
    recordings: [{ name: 'memo.ogg', mimeType: 'audio/ogg', content: recording }],
  })
})

test('a recording that is too large is refused, and so is what is neither text nor picture nor recording', () => {
  const large = bytes('OggS', playgroundLimits.recordingBytes + 1)
  expect(readContent('', [{ name: 'long.ogg', bytes: large }])).toMatchObject({
    message: expect.stringMatching(/long\.ogg is larger than/),
  })
  expect(readContent('', [{ name: 'a.zip', bytes: bytes('PK\x03\x04') }])).toMatchObject({
    message: expect.stringMatching(/only text, images .* and recordings/),
  })
})
