import { expect, test } from 'vitest'
import { deleteVirtualFile, editVirtualFile, recordFileChange } from './change-file.ts'
import { createVirtualFiles } from './files.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace } from './testing-workspace.ts'

const database = useTestDatabase()

async function start() {
  const { db } = database
  const { workspaceId, agentId, members } = await createTestWorkspace(db)
  const tree = { workspaceId, owner: { kind: 'agent', id: agentId } } as const
  const files = createVirtualFiles(db)
  await files.write(tree, '/a.txt', Buffer.from('one'))
  const { id, updatedAt: seen } = await db.prisma.virtualFile.findFirstOrThrow({ where: { agentId } })
  const actor = { kind: 'member', id: members.owner } as const
  const audited = () =>
    db.prisma.auditEvent.findMany({
      where: { workspaceId, action: { startsWith: 'file.' } },
      orderBy: { number: 'asc' },
    })
  return { db, workspaceId, tree, files, id, seen, actor, audited }
}

test('an edit counts for what was seen, once: of twenty at once one does', async () => {
  const { db, workspaceId, tree, files, id, seen, actor, audited } = await start()
  const edit = (text: string) =>
    editVirtualFile(db, { workspaceId, fileId: id, seen, actor, content: Buffer.from(text) })
  const results = await Promise.all(Array.from({ length: 20 }, (_, index) => edit(`edit ${index}`)))
  expect(results.filter((result) => result === 'done')).toHaveLength(1)
  expect(results.filter((result) => result === 'changed')).toHaveLength(19)
  const read = await files.read(tree, '/a.txt')
  expect(read.ok && Buffer.from(read.content).toString()).toBe(`edit ${results.indexOf('done')}`)
  expect((await audited()).map(({ action, subjectId }) => [action, subjectId])).toEqual([['file.edit', id]])
})

test('what the agent wrote meanwhile is not deleted unseen', async () => {
  const { db, workspaceId, tree, files, id, seen, actor, audited } = await start()
  await files.write(tree, '/a.txt', Buffer.from('newer'))
  expect(await deleteVirtualFile(db, { workspaceId, fileId: id, seen, actor })).toBe('changed')
  const now = await db.prisma.virtualFile.findUniqueOrThrow({ where: { id } })
  expect(await deleteVirtualFile(db, { workspaceId, fileId: id, seen: now.updatedAt, actor })).toBe('done')
  expect(await deleteVirtualFile(db, { workspaceId, fileId: id, seen: now.updatedAt, actor })).toBe('not_found')
  expect((await audited()).map(({ action }) => action)).toEqual(['file.delete'])
})

test('another workspace’s file is not found', async () => {
  const { db, id, seen, actor } = await start()
  const other = await createTestWorkspace(db)
  const whose = { workspaceId: other.workspaceId, fileId: id, seen, actor }
  expect(await editVirtualFile(db, { ...whose, content: Buffer.from('x') })).toBe('not_found')
  expect(await deleteVirtualFile(db, whose)).toBe('not_found')
})

test('a change on the disk is recorded with its path and who made it', async () => {
  const { db, workspaceId, actor, audited } = await start()
  await recordFileChange(db, { workspaceId, actor, action: 'file.delete', path: 'notes/a.txt' })
  expect(await audited()).toMatchObject([
    { action: 'file.delete', subjectKind: 'work-file', subjectId: 'notes/a.txt', actorId: actor.id },
  ])
})
