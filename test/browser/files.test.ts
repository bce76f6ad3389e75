// What agents wrote, looked at and changed by people: the work folder on the disk, and the virtual files.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createVirtualFiles } from '@quartermaster/db'
import { createTestWorkspace } from '@quartermaster/db/testing'
import { afterAll, expect, test } from 'vitest'
import { useConsole } from './console.ts'

const base = mkdtempSync(join(tmpdir(), 'qm-files-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))
const it = useConsole({ settings: async () => ({ WORKSPACE_ROOT: join(base, 'files') }) })

/** The folder of the demo, as a bot would have made it. */
function folder(): string {
  const path = join(base, 'files', it.workspaceId)
  mkdirSync(join(path, 'notes'), { recursive: true })
  return path
}

async function virtualFile(workspaceId: string, path: string, text: string) {
  const agent = await it.db.prisma.agent.findFirstOrThrow({ where: { workspaceId } })
  const owner = { kind: 'agent', id: agent.id } as const
  const written = await createVirtualFiles(it.db).write({ workspaceId, owner }, path, Buffer.from(text))
  expect(written.ok).toBe(true)
  return it.db.prisma.virtualFile.findFirstOrThrow({ where: { agentId: agent.id, path } })
}

const events = (action: string) => it.db.prisma.auditEvent.findMany({ where: { workspaceId: it.workspaceId, action } })

test('where no folder can be reached, the page says so and where it looked', async () => {
  const page = await it.page({ as: it.people.member })
  await page.goto('/files')
  await page.getByText('No agent has written a file yet').waitFor()
  await page.getByText(join(base, 'files', it.workspaceId)).waitFor()
})

test('a folder is browsed, searched by name, and a text is read as text', async () => {
  writeFileSync(join(folder(), 'notes/today.md'), '<script>alert(1)</script>')
  const page = await it.page({ as: it.people.member })
  await page.goto('/files')
  await page.getByRole('link', { name: 'notes' }).click()
  await page.getByRole('link', { name: 'today.md' }).click()
  await page.getByRole('heading', { name: 'today.md' }).waitFor()
  await page.getByText('<script>alert(1)</script>').waitFor()
  expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
  await page.goto('/files')
  await page.getByRole('searchbox').fill('TODAY')
  await page.getByRole('link', { name: 'notes/today.md' }).waitFor()
})

test('an admin edits what was seen; what changed meanwhile is not overwritten, and what was typed stays', async () => {
  const path = join(folder(), 'edited.txt')
  writeFileSync(path, 'one\n')
  const page = await it.page({ as: it.people.admin })
  await page.goto('/files/open?path=edited.txt')
  await page.getByLabel('Content').fill('two\n')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').first().waitFor()
  expect(readFileSync(path, 'utf8')).toBe('two\n')
  await page.getByLabel('Content').fill('three\n')
  writeFileSync(path, 'by the agent\n')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('was changed by somebody else meanwhile').waitFor()
  expect(readFileSync(path, 'utf8')).toBe('by the agent\n')
  expect(await page.getByLabel('Content').inputValue()).toBe('three\n')
  expect((await events('file.edit')).map(({ subjectKind, subjectId }) => [subjectKind, subjectId])).toEqual([
    ['work-file', 'edited.txt'],
  ])
})

test('a file is deleted after a question that names it, and the audit says who did', async () => {
  const path = join(folder(), 'notes/gone.txt')
  writeFileSync(path, 'bye')
  const page = await it.page({ as: it.people.admin })
  await page.goto('/files/open?path=notes%2Fgone.txt')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog', { name: 'Delete notes/gone.txt?' }).getByRole('button', { name: 'Delete it' }).click()
  await page.waitForURL('**/files?path=notes')
  expect(existsSync(path)).toBe(false)
  expect(await events('file.delete')).toMatchObject([
    { subjectId: 'notes/gone.txt', actorId: it.people.admin.memberId },
  ])
})

test('a picture is shown, and anything else is only ever a download that nothing in runs', async () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  writeFileSync(join(folder(), 'dot.png'), png)
  writeFileSync(join(folder(), 'page.html'), '<script>alert(1)</script>')
  writeFileSync(
    join(folder(), 'drawing.svg'),
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  )
  const context = await it.context({ as: it.people.member })
  const raw = async (file: string) => (await context.request.get(`/api/files/raw?in=work&file=${file}`)).headers()
  expect(await raw('dot.png')).toMatchObject({ 'content-type': 'image/png', 'x-content-type-options': 'nosniff' })
  for (const file of ['page.html', 'drawing.svg'])
    expect(await raw(file), file).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''${file}`,
      'x-content-type-options': 'nosniff',
    })
  const page = await context.newPage()
  await page.goto('/files/open?path=dot.png')
  await expect
    .poll(() => page.getByRole('img', { name: 'dot.png' }).evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBe(1)
})

test('no address leads out of the folder, neither by .. nor through a link', async () => {
  writeFileSync(join(base, 'secret.txt'), 'not yours')
  if (!existsSync(join(folder(), 'leak'))) symlinkSync(base, join(folder(), 'leak'))
  const { request } = await it.context({ as: it.people.owner })
  for (const path of [
    '../../secret.txt',
    `${base}/secret.txt`,
    'leak/secret.txt',
    'notes/../../../secret.txt',
    'x\0y',
  ]) {
    const file = encodeURIComponent(path)
    expect((await request.get(`/files/open?path=${file}`)).status(), path).toBe(404)
    const raw = (await request.get(`/api/files/raw?in=work&file=${file}`)).status()
    expect(raw, path).toBe(path.includes('\0') ? 400 : 404)
  }
  for (const path of ['..', 'leak', base])
    expect((await request.get(`/files?path=${encodeURIComponent(path)}`)).status(), path).toBe(404)
})

test('virtual files are listed with whose they are, edited and deleted', async () => {
  await virtualFile(it.workspaceId, '/data/report.txt', 'draft')
  const page = await it.page({ as: it.people.admin })
  await page.goto('/files?in=virtual')
  await page.getByRole('link', { name: '/data/report.txt' }).click()
  await page.getByLabel('Content').fill('final')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').first().waitFor()
  const { content } = await it.db.prisma.virtualFile.findFirstOrThrow({
    where: { workspaceId: it.workspaceId, path: '/data/report.txt' },
  })
  expect(Buffer.from(content).toString()).toBe('final')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete it' }).click()
  await page.waitForURL('**/files?in=virtual')
  expect(
    await it.db.prisma.virtualFile.count({ where: { workspaceId: it.workspaceId, path: '/data/report.txt' } }),
  ).toBe(0)
})

test('another workspace’s files are not found, neither virtual ones nor those on the disk', async () => {
  const other = await createTestWorkspace(it.db)
  const file = await virtualFile(other.workspaceId, '/theirs.txt', 'theirs')
  mkdirSync(join(base, 'files', other.workspaceId), { recursive: true })
  writeFileSync(join(base, 'files', other.workspaceId, 'theirs.txt'), 'theirs')
  const { request } = await it.context({ as: it.people.owner })
  for (const address of [
    `/files/virtual/${file.id}`,
    `/api/files/raw?in=virtual&file=${file.id}`,
    '/files/open?path=theirs.txt',
    `/files/open?path=${encodeURIComponent(`../${other.workspaceId}/theirs.txt`)}`,
    '/api/files/raw?in=work&file=theirs.txt',
  ])
    expect((await request.get(address)).status(), address).toBe(404)
})

test('a viewer has no files at all', async () => {
  const { request } = await it.context({ as: it.people.viewer })
  expect((await request.get('/files')).status()).toBe(403)
  expect((await request.get('/api/files/raw?in=work&file=a')).status()).toBe(403)
})
