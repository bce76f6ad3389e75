import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { browseFile, browseFolder, deleteFile, overwriteFile, searchFolder } from './browse-folder.ts'

const signal = new AbortController().signal

function start() {
  const base = mkdtempSync(join(tmpdir(), 'qm-browse-'))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  const root = join(base, 'work')
  mkdirSync(join(root, 'notes'), { recursive: true })
  writeFileSync(join(root, 'notes/a.txt'), 'hello')
  writeFileSync(join(root, 'b.txt'), 'bee')
  writeFileSync(join(base, 'secret.txt'), 'not yours')
  symlinkSync(join(base, 'secret.txt'), join(root, 'leak.txt'))
  symlinkSync(base, join(root, 'out'))
  return { base, root }
}

test('lists folders first, links as links, and goes on where a page ended', async () => {
  const { root } = start()
  const page = await browseFolder(root, '', { limit: 2, signal })
  expect(page.entries.map(({ name, kind }) => [name, kind])).toEqual([
    ['notes', 'folder'],
    ['b.txt', 'file'],
  ])
  const rest = await browseFolder(root, '', { limit: 9, signal, after: page.next as string })
  expect(rest.entries.map(({ name, kind }) => [name, kind])).toEqual([
    ['leak.txt', 'link'],
    ['out', 'link'],
  ])
  expect(rest.next).toBeNull()
})

test('no path leads out: neither by .., nor absolute, nor through a link, whatever is done', async () => {
  const { base, root } = start()
  const outside = ['../secret.txt', join(base, 'secret.txt'), 'leak.txt', 'out/secret.txt', 'notes/../../secret.txt']
  const before = () => Promise.reject(new Error('it must not come to this'))
  for (const path of outside) {
    await expect(browseFile(root, path, 100), path).rejects.toMatchObject({ code: 'outside' })
    await expect(overwriteFile(root, path, Buffer.from('x'), '', before), path).rejects.toMatchObject({
      code: 'outside',
    })
    await expect(deleteFile(root, path, '', before), path).rejects.toMatchObject({ code: 'outside' })
  }
  for (const path of ['..', 'out', base])
    await expect(browseFolder(root, path, { limit: 9, signal }), path).rejects.toMatchObject({ code: 'outside' })
  expect(readFileSync(join(base, 'secret.txt'), 'utf8')).toBe('not yours')
})

test('a file is written and deleted as it was seen, and said before it happens', async () => {
  const { root } = start()
  const said: string[] = []
  const before = async (path: string) => void said.push(path)
  const seen = await browseFile(root, 'notes/a.txt', 3)
  expect([Buffer.from(seen.bytes).toString(), seen.size]).toEqual(['hel', 5])
  await overwriteFile(root, 'notes/a.txt', Buffer.from('changed'), seen.version, before)
  expect(readFileSync(join(root, 'notes/a.txt'), 'utf8')).toBe('changed')
  await expect(deleteFile(root, 'notes/a.txt', seen.version, before)).rejects.toMatchObject({ code: 'changed' })
  await deleteFile(root, 'notes/a.txt', (await browseFile(root, 'notes/a.txt', 9)).version, before)
  expect(existsSync(join(root, 'notes/a.txt'))).toBe(false)
  expect(said).toEqual(['notes/a.txt', 'notes/a.txt'])
})

test('what changed since it was seen stays as it is, and is not even recorded', async () => {
  const { root } = start()
  const seen = await browseFile(root, 'b.txt', 9)
  writeFileSync(join(root, 'b.txt'), 'somebody else')
  let said = false
  const before = async () => {
    said = true
  }
  await expect(overwriteFile(root, 'b.txt', Buffer.from('mine'), seen.version, before)).rejects.toMatchObject({
    code: 'changed',
  })
  expect([readFileSync(join(root, 'b.txt'), 'utf8'), said]).toEqual(['somebody else', false])
})

test('without a record nothing is deleted', async () => {
  const { root } = start()
  const { version } = await browseFile(root, 'b.txt', 9)
  await expect(deleteFile(root, 'b.txt', version, () => Promise.reject(new Error('no audit')))).rejects.toThrow(
    'no audit',
  )
  expect(existsSync(join(root, 'b.txt'))).toBe(true)
})

test('a folder is never deleted, and what belongs to git is not written', async () => {
  const { root } = start()
  mkdirSync(join(root, '.git'))
  writeFileSync(join(root, '.git/config'), '[core]')
  const none = async () => {}
  await expect(deleteFile(root, 'notes', '', none)).rejects.toMatchObject({ code: 'not-a-file' })
  const config = await browseFile(root, '.git/config', 9)
  expect(config.readOnly).toBe(true)
  await expect(deleteFile(root, '.git/config', config.version, none)).rejects.toMatchObject({ code: 'denied' })
})

test('a search finds by name in every folder, and follows no link', async () => {
  const { root } = start()
  expect((await searchFolder(root, 'A.TXT', signal)).entries.map(({ path }) => path)).toEqual(['notes/a.txt'])
  expect((await searchFolder(root, 'secret', signal)).entries).toEqual([])
})
