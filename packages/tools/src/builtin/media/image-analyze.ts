import { failed, succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import type { Senses } from '../../ports/senses.ts'
import { mediaLimits } from './limits.ts'
import { mediaTypeOf } from './media-type.ts'
import { type MediaPorts, type MediaSource, readSource, sourceProperties } from './read-source.ts'

const pictureTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const
const accepted = ['data', 'path', 'virtual_path', 'attachment'] as const
const usualQuestion = 'Describe this image: what it shows, and any text in it, word for word.'

export function createImageAnalyzeTool(ports: MediaPorts & { senses: Senses }) {
  return defineTool({
    name: 'image.analyze',
    title: 'Look at a picture',
    description:
      'Analyzes an image and describes its contents. Give a file that somebody sent (attachment), a file of the work folder (path), a virtual file, or base64 data.',
    category: 'media',
    groups: ['media'],
    effect: 'read',
    hook: 'silent',
    idempotent: true,
    // Words in a picture are a stranger's words.
    untrusted: true,
    inputSchema: {
      type: 'object',
      properties: {
        ...sourceProperties,
        mimeType: { type: 'string', enum: pictureTypes, description: 'Image MIME type (of data)' },
        prompt: { type: 'string', minLength: 1, maxLength: 4_000, description: 'Specific analysis request (optional)' },
      },
      additionalProperties: false,
    },
    execute: async (args, context) => {
      const source = await readSource(args as MediaSource, accepted, mediaLimits.pictureBytes, ports, context)
      if (!source.ok) return failed(source.problem)
      const { mimeType } = await mediaTypeOf(source.bytes, args.mimeType)
      if (!(pictureTypes as readonly string[]).includes(mimeType))
        return failed(`This is not a JPEG, PNG, GIF or WebP image: by its bytes it is ${mimeType}.`)
      const picture = { mimeType, data: Buffer.from(source.bytes).toString('base64') }
      const seen = await ports.senses.look(picture, args.prompt ?? usualQuestion, context)
      if (seen === null)
        return failed('No model that can see is connected here. Somebody has to set ANTHROPIC_API_KEY.')
      return seen.trim() ? succeeded(seen.trim()) : failed('The model said nothing about this picture.')
    },
  })
}
