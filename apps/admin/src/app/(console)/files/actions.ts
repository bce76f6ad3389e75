'use server'

import type { Actor } from '@quartermaster/db'
import { redirect } from 'next/navigation'
import { z } from 'zod'
import type { ActionResult } from '../../../action-result.ts'
import { adminAction } from '../../../admin-action.ts'
import { data } from '../../../data.ts'
import { runtime } from '../../../runtime.ts'
import { toolKit } from '../../../tool-kit.ts'
import { findWorkFolder } from '../../../work-folder.ts'
import { fileLimits } from './limits.ts'

const where = z.enum(['work', 'virtual'])
/** A path of the work folder, or a virtual file's id. */
const file = z.string().min(1).max(5_000)
const version = z.string().min(1).max(100)

export const saveFile = adminAction({
  needs: 'admin',
  shape: z.object({
    where,
    file,
    version,
    content: z.string().max(fileLimits.textBytes, 'The text is too long to be edited here.'),
  }),
  // A form sends its lines as the standard wants them. A file with such lines keeps them: the field says which it has.
  read: (form) => ({
    ...Object.fromEntries(form),
    content: String(form.get('content') ?? '').replaceAll('\r\n', form.get('lines') === 'crlf' ? '\r\n' : '\n'),
  }),
  work: async ({ where: place, file: which, version: seen, content }, { membership: { workspaceId }, actor }) => {
    const bytes = Buffer.from(content)
    if (place === 'virtual') {
      const change = { workspaceId, fileId: which, seen: new Date(seen), actor, content: bytes }
      return describeChange(
        await data.editVirtualFile(runtime().db, change),
        'Saved. The agent reads it so from now on.',
      )
    }
    return inWorkFolder(workspaceId, async (root) => {
      await toolKit.overwriteFile(root, which, bytes, seen, record(workspaceId, actor, 'file.edit'))
      return 'Saved. The agents read it so from now on.'
    })
  },
})

export const removeFile = adminAction({
  needs: 'admin',
  shape: z.object({ where, file, version }),
  work: async ({ where: place, file: which, version: seen }, { membership: { workspaceId }, actor }) => {
    const result =
      place === 'virtual'
        ? describeChange(
            await data.deleteVirtualFile(runtime().db, { workspaceId, fileId: which, seen: new Date(seen), actor }),
            'Deleted.',
          )
        : await inWorkFolder(workspaceId, async (root) => {
            await toolKit.deleteFile(root, which, seen, record(workspaceId, actor, 'file.delete'))
            return 'Deleted.'
          })
    if (typeof result !== 'string') return result
    redirect(place === 'virtual' ? '/files?in=virtual' : `/files${folderOf(which)}`)
  },
})

const record = (workspaceId: string, actor: Actor, action: 'file.edit' | 'file.delete') => (path: string) =>
  data.recordFileChange(runtime().db, { workspaceId, actor, action, path })

async function inWorkFolder(
  workspaceId: string,
  use: (root: string) => Promise<string>,
): Promise<string | ActionResult> {
  const folder = await findWorkFolder(workspaceId)
  if (folder.state !== 'there') return { ok: false, message: 'The work folder cannot be reached from here any more.' }
  try {
    return await use(folder.path)
  } catch (error) {
    if (error instanceof toolKit.PathProblem) return { ok: false, message: error.message }
    throw error
  }
}

function describeChange(change: 'done' | 'changed' | 'not_found', done: string): string | ActionResult {
  if (change === 'done') return done
  return {
    ok: false,
    message:
      change === 'changed'
        ? 'It was changed by somebody else meanwhile. Look at it again.'
        : 'It is not there any more.',
  }
}

function folderOf(path: string): string {
  const folder = path.split('/').slice(0, -1).join('/')
  return folder ? `?path=${encodeURIComponent(folder)}` : ''
}
