import { failed, succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import { mediaLimits } from './limits.ts'
import { mediaTypeOf, plainType } from './media-type.ts'
import { type MediaPorts, type MediaSource, readSource, sizeOf, sourceProperties } from './read-source.ts'

const accepted = ['data', 'path', 'virtual_path'] as const

export function createMediaSendTool(ports: MediaPorts) {
  return defineTool({
    name: 'media.send',
    title: 'Send a file',
    description:
      'Sends a file (picture, audio, document) to the people in this conversation. Give a file of the work folder (path), a virtual file (virtual_path), or base64 data with its mimeType.',
    category: 'media',
    groups: ['media'],
    effect: 'send',
    hook: 'log',
    // A file of a call is sent once, however often the call is started.
    idempotent: true,
    inputSchema: {
      type: 'object',
      properties: {
        data: sourceProperties.data,
        mimeType: {
          type: 'string',
          minLength: 3,
          maxLength: 100,
          description: "MIME type (e.g., 'image/jpeg', 'audio/ogg'); needed with data",
        },
        filename: { type: 'string', minLength: 1, maxLength: 255, description: 'Filename (optional)' },
        path: sourceProperties.path,
        virtual_path: sourceProperties.virtual_path,
        caption: { type: 'string', maxLength: 1_000, description: 'A line to go with it (optional)' },
      },
      additionalProperties: false,
    },
    summarize: ({ data, path, virtual_path, mimeType, filename, caption }) => {
      const name = filename ?? path ?? virtual_path ?? mimeType ?? 'a file'
      const size = data === undefined ? [] : [{ label: 'Size', value: sizeOf(Math.floor((data.length * 3) / 4)) }]
      return {
        title: `Send ${name.replace(/\s+/g, ' ')} to the people in this conversation`,
        facts: [
          ...(path === undefined ? [] : [{ label: 'File', value: path }]),
          ...(virtual_path === undefined ? [] : [{ label: 'Virtual file', value: virtual_path }]),
          ...(mimeType === undefined ? [] : [{ label: 'Type', value: mimeType }]),
          ...size,
          ...(caption === undefined ? [] : [{ label: 'Caption', value: caption }]),
        ],
        recipients: ['everybody in this conversation'],
      }
    },
    execute: async (args, context) => {
      const { mimeType: claimed, caption, filename } = args
      if (args.data !== undefined && claimed === undefined) return failed('With data, give its mimeType as well.')
      const source = await readSource(args as MediaSource, accepted, mediaLimits.sendBytes, ports, context)
      if (!source.ok) return failed(source.problem)
      const { mimeType, extension } = await mediaTypeOf(source.bytes, claimed)
      if (claimed !== undefined && isShown(plainType(claimed)) && familyOf(plainType(claimed)) !== familyOf(mimeType))
        return failed(
          `The data is not ${claimed}: by its bytes it is ${mimeType}. Send it as that, or send other data.`,
        )
      const name = cleanName(filename ?? source.name ?? `file.${extension}`)
      context.signal.throwIfAborted()
      const { workspaceId, conversationId, runId, toolCallId } = context
      const sent = await ports.chatFiles.send(
        { workspaceId, conversationId, runId, toolCallId },
        {
          mimeType,
          filename: name,
          data: Buffer.from(source.bytes).toString('base64'),
          ...(caption === undefined ? {} : { caption }),
        },
      )
      if (!sent.ok) return failed(sent.problem)
      const size = source.bytes.byteLength
      return succeeded(`Sent ${name} (${mimeType}, ${sizeOf(size)}) to the chat.`, {
        data: { filename: name, mimeType, size },
      })
    },
  })
}

const familyOf = (mimeType: string): string => mimeType.split('/', 1)[0] ?? ''

/** What a chat shows or plays by itself; it must be what it says. */
const isShown = (mimeType: string): boolean => ['image', 'audio', 'video'].includes(familyOf(mimeType))

/** A name that is one, on every platform: no folders, nothing that cannot be seen. */
function cleanName(name: string): string {
  const plain = name
    .split(/[/\\]/)
    .at(-1)
    ?.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '')
    .replace(/^[.\s]+|\s+$/g, '')
  return plain ? [...plain].slice(-mediaLimits.filenameLength).join('') : 'file'
}
