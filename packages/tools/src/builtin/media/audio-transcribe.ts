import { failed, succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import type { Senses } from '../../ports/senses.ts'
import { mediaLimits } from './limits.ts'
import { mediaTypeOf } from './media-type.ts'
import { type MediaPorts, type MediaSource, readSource, sourceProperties } from './read-source.ts'

const accepted = ['data', 'path', 'virtual_path', 'attachment'] as const
/** What endpoints take beyond the types of the Flynn document; a video's sound is in there, too. */
const soundTypes = ['audio/mp4', 'audio/aac', 'audio/flac', 'audio/x-flac', 'audio/amr', 'video/mp4', 'video/webm']

export function createAudioTranscribeTool(ports: MediaPorts & { senses: Senses }) {
  return defineTool({
    name: 'audio.transcribe',
    title: 'Transcribe a recording',
    description:
      'Transcribes audio to text. Give a file that somebody sent (attachment), a file of the work folder (path), a virtual file, or base64 data.',
    category: 'media',
    groups: ['media'],
    effect: 'read',
    hook: 'silent',
    idempotent: true,
    // What is said in a recording is what a stranger says.
    untrusted: true,
    timeoutMs: 300_000,
    inputSchema: {
      type: 'object',
      properties: {
        ...sourceProperties,
        mimeType: {
          type: 'string',
          enum: ['audio/ogg', 'audio/wav', 'audio/mpeg', 'audio/webm'],
          description: 'Audio MIME type (of data)',
        },
        language: { type: 'string', pattern: '^[a-z]{2,3}$', description: 'The language, e.g. en or de (optional)' },
      },
      additionalProperties: false,
    },
    execute: async (args, context) => {
      const source = await readSource(args as MediaSource, accepted, mediaLimits.recordingBytes, ports, context)
      if (!source.ok) return failed(source.problem)
      const { mimeType, extension } = await mediaTypeOf(source.bytes, args.mimeType)
      if (!isSound(mimeType)) return failed(`This is not a recording: by its bytes it is ${mimeType}.`)
      const filename = `recording.${extension}`
      const recording = { mimeType, filename, data: Buffer.from(source.bytes).toString('base64') }
      const options = args.language === undefined ? {} : { language: args.language }
      const text = await ports.senses.listen(recording, options, context.signal)
      if (text === null)
        return failed(
          'Nothing that can listen is connected here. Somebody has to set AUDIO_TRANSCRIBE_URL or AUDIO_TRANSCRIBE_COMMAND.',
        )
      return succeeded(text.trim() || '(Nothing is said in it.)')
    },
  })
}

const isSound = (mimeType: string): boolean =>
  ['audio/ogg', 'audio/wav', 'audio/mpeg', 'audio/webm', ...soundTypes].includes(mimeType)
