import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sandboxAccount } from '@quartermaster/tools'
import { afterEach, expect, test } from 'vitest'
import { createWorkFolders } from './work-folders.ts'

const base = mkdtempSync(join(tmpdir(), 'qm-folders-'))
afterEach(() => rmSync(join(base, 'files'), { recursive: true, force: true }))
const caller = (workspaceId: string) => ({ workspaceId, agentId: 'agt_1' })

test('a workspace has one folder, its own, which programs can write to and nobody else can enter', async () => {
  const folders = createWorkFolders(join(base, 'files'))
  const [one, again, other] = await Promise.all(['wsp_1', 'wsp_1', 'wsp_2'].map((id) => folders.folderOf(caller(id))))
  expect(one).toBe(join(base, 'files/wsp_1'))
  expect(again).toBe(one)
  expect(other).not.toBe(one)
  const { mode, uid } = statSync(one as string)
  expect(mode & 0o777).toBe(0o700)
  expect(uid).toBe(sandboxAccount()?.uid ?? process.getuid?.())
})

test('an id that would lead elsewhere is no folder, and neither is a file or a link in its place', async () => {
  const folders = createWorkFolders(join(base, 'files'))
  for (const id of ['..', 'a/b', '', 'a\0b']) expect(() => folders.folderOf(caller(id))).toThrow('no such id')
  await folders.folderOf(caller('wsp_1'))
  writeFileSync(join(base, 'files/wsp_file'), '')
  symlinkSync('/etc', join(base, 'files/wsp_link'))
  await expect(folders.folderOf(caller('wsp_file'))).rejects.toThrow()
  await expect(folders.folderOf(caller('wsp_link'))).rejects.toThrow('not a folder')
})
