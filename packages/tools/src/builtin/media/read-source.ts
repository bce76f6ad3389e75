// Where a media tool's file comes from: base64 in the call, as in the Flynn document; or a name for what is already
// here, so that a model does not have to repeat megabytes.
import type { ToolContext } from '../../contract.ts'
import { PathProblem, WorkFolder } from '../../guard/paths/index.ts'
import type { ChatFiles } from '../../ports/chat-files.ts'
import type { VirtualFiles } from '../../ports/virtual-files.ts'
import type { WorkFolders } from '../../ports/work-folders.ts'
import { treeOf } from '../files/virtual-tree.ts'

export interface MediaPorts {
  folders: WorkFolders
  files: VirtualFiles
  chatFiles: ChatFiles
}

export interface MediaSource {
  data?: string
  path?: string
  virtual_path?: string
  attachment?: string
}

/** The arguments that name a file; a tool takes the ones that it has a use for. */
export const sourceProperties = {
  data: { type: 'string', minLength: 1, description: 'Base64-encoded data' },
  path: { type: 'string', minLength: 1, description: 'Instead of data: a file of the work folder' },
  virtual_path: {
    type: 'string',
    minLength: 1,
    description: 'Instead of data: a file of the virtual file system (vfs)',
  },
  attachment: {
    type: 'string',
    minLength: 1,
    description: 'Instead of data: the name of a file that somebody sent in this conversation',
  },
} as const

const names = ['data', 'path', 'virtual_path', 'attachment'] as const

export type ReadSource = { ok: true; bytes: Uint8Array; name: string | null } | { ok: false; problem: string }

export async function readSource(
  source: MediaSource,
  accepted: readonly (keyof MediaSource)[],
  maxBytes: number,
  ports: MediaPorts,
  context: ToolContext,
): Promise<ReadSource> {
  const given = names.filter((name) => source[name] !== undefined)
  const [kind] = given
  if (kind === undefined || given.length > 1)
    return refuse(`Give exactly one of ${accepted.join(', ')}${given.length ? `, not ${given.join(' and ')}` : ''}.`)
  const read = await readers[kind](source[kind] as string, maxBytes, ports, context)
  if (!read.ok) return read
  if (read.bytes.byteLength === 0) return refuse('The file is empty.')
  if (read.bytes.byteLength > maxBytes) return tooLarge(read.bytes.byteLength, maxBytes)
  return read
}

type Reader = (value: string, maxBytes: number, ports: MediaPorts, context: ToolContext) => Promise<ReadSource>

const readers: Record<keyof MediaSource, Reader> = {
  async data(value) {
    const bytes = decodeBase64(value)
    return bytes ? { ok: true, bytes, name: null } : refuse('data is not base64.')
  },

  async path(value, maxBytes, { folders }, context) {
    try {
      const folder = await folders.folderOf(context)
      return await WorkFolder.use(folder, (work) =>
        work.file(value, async ({ handle, stat, path }) => {
          if (stat.size > maxBytes) return tooLarge(stat.size, maxBytes)
          // The file may grow while it is read: no more than that is taken, and one byte more shows that it did.
          const buffer = Buffer.alloc(Math.min(stat.size, maxBytes) + 1)
          let length = 0
          while (length < buffer.length) {
            context.signal.throwIfAborted()
            const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length)
            if (bytesRead === 0) break
            length += bytesRead
          }
          return { ok: true, bytes: buffer.subarray(0, length), name: lastName(path) }
        }),
      )
    } catch (error) {
      if (error instanceof PathProblem) return refuse(error.message)
      throw error
    }
  },

  async virtual_path(value, _maxBytes, { files }, context) {
    const read = await files.read(treeOf(context), value)
    return read.ok ? { ok: true, bytes: read.content, name: lastName(read.path) } : refuse(read.problem)
  },

  async attachment(value, _maxBytes, { chatFiles }, { conversationId }) {
    const file = await chatFiles.find(conversationId, value)
    if (!file) return refuse('Nobody sent a file of that name in this conversation.')
    return { ok: true, bytes: Buffer.from(file.data, 'base64'), name: file.filename }
  },
}

/** Null where it is none. A `data:` address is taken for what is in it: models write those. */
function decodeBase64(text: string): Uint8Array | null {
  const bare = text.replace(/^data:[\w.+/;=-]{0,200}?;base64,/, '').replace(/\s+/g, '')
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(bare) || bare.replace(/=+$/, '').length % 4 === 1) return null
  return Buffer.from(bare, 'base64')
}

const lastName = (path: string): string => path.split('/').filter(Boolean).at(-1) ?? 'file'

export const sizeOf = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`
    : bytes < 1024 * 1024
      ? `${Math.round(bytes / 1024)} KB`
      : `${(bytes / 1024 / 1024).toFixed(1)} MB`

const tooLarge = (bytes: number, most: number): ReadSource =>
  refuse(`The file is too large: ${sizeOf(bytes)}, and ${sizeOf(most)} are the most.`)

const refuse = (problem: string): ReadSource => ({ ok: false, problem })
