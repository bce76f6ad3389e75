// What agents wrote, as it is.
import { z } from 'zod'
import { fileLimits } from '../../app/(console)/files/limits.ts'
import { readVirtualFile } from '../../app/(console)/files/queries.ts'
import { imageTypes } from '../../playground/limits.ts'
import { toolKit } from '../../tool-kit.ts'
import { findWorkFolder } from '../../work-folder.ts'
import { ApiError } from '../api-error.ts'
import { endpoint } from '../endpoint.ts'
import { sendBytes } from '../send-file.ts'
import { notFound } from '../shapes.ts'

export const getFile = endpoint({
  area: 'Files',
  role: 'member',
  scope: 'files',
  method: 'GET',
  path: '/api/files/raw',
  summary: 'Get a file of the work folder or a virtual one',
  query: z.strictObject({
    in: z.enum(['work', 'virtual']).default('work').describe('Where it is.'),
    file: z.string().min(1).max(5_000).describe('Its path in the work folder, or the id of a virtual file.'),
    download: z.literal('1').optional().describe('A picture too is sent as a file to keep.'),
  }),
  answer: {
    status: 200,
    description: 'The file. Only pictures come with a type of their own.',
    otherTypes: { 'application/octet-stream': 'Any file.', 'image/*': 'A picture.' },
  },
  errors: { VALIDATION_ERROR: `The file is larger than ${fileLimits.downloadBytes} bytes.` },
  work: async ({ caller: { workspaceId }, query: { in: place, file, download } }) => {
    const found = place === 'virtual' ? await readVirtualFile(workspaceId, file) : await readWorkFile(workspaceId, file)
    if (!found) throw notFound('file')
    const bytes = new Uint8Array(found.content)
    // What it is, its bytes say.
    const { mimeType } = await toolKit.mediaTypeOf(bytes)
    return sendBytes(bytes, {
      name: found.path.split('/').at(-1) ?? 'file',
      type: imageTypes.includes(mimeType) && download === undefined ? mimeType : null,
      cache: 'no-store',
    })
  },
})

async function readWorkFile(workspaceId: string, path: string): Promise<{ path: string; content: Uint8Array } | null> {
  const folder = await findWorkFolder(workspaceId)
  if (folder.state !== 'there') return null
  try {
    const file = await toolKit.browseFile(folder.path, path, fileLimits.downloadBytes)
    if (file.size > fileLimits.downloadBytes)
      throw new ApiError(
        'VALIDATION_ERROR',
        `The file is larger than ${fileLimits.downloadBytes} bytes. Fetch it from the machine itself.`,
      )
    return { path: file.path, content: file.bytes }
  } catch (error) {
    if (error instanceof toolKit.PathProblem) return null
    throw error
  }
}
