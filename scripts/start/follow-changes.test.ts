import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Child, startChild } from './child.ts'
import { followChanges } from './follow-changes.ts'

/** A program that says its version when it is ready, and a folder to edit it in. */
async function follow() {
  const folder = mkdtempSync(join(tmpdir(), 'qm-follow-'))
  const file = join(folder, 'program.mjs')
  /** As most editors and git save: a new file takes the name of the old one. */
  const save = (source: string) => {
    writeFileSync(`${folder}.draft`, source)
    renameSync(`${folder}.draft`, file)
  }
  const program = (version: string) =>
    save(`process.send({ ready: true, version: '${version}' }); setInterval(() => {}, 1e6)`)
  program('1')
  const versions: unknown[] = []
  const said: string[] = []
  const start = async () => {
    const child = await startChild('program', [file], process.env)
    versions.push(child.ready.version)
    return child
  }
  const child: Child = await followChanges([folder], start, (what) => said.push(what))
  onTestFinished(async () => {
    await child.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return { folder, save, program, versions, said }
}

test('every change is followed, also where the file is replaced each time', async () => {
  const { program, versions } = await follow()
  for (const version of ['2', '3', '4']) {
    program(version)
    await expect.poll(() => versions.at(-1), { timeout: 10_000 }).toBe(version)
  }
})

test('a program with a mistake is named, and starts again when it is mended', async () => {
  const { save, program, versions, said } = await follow()
  save('this is no program')
  await expect.poll(() => said.join('\n'), { timeout: 10_000 }).toMatch(/SyntaxError[\s\S]*did not start/)
  program('mended')
  await expect.poll(() => versions.at(-1), { timeout: 10_000 }).toBe('mended')
})

test('files in folders that were made later are followed too', async () => {
  const { folder, program, versions } = await follow()
  mkdirSync(join(folder, 'later'))
  await expect.poll(() => versions.length, { timeout: 10_000 }).toBe(2)
  writeFileSync(join(folder, 'later/part.mjs'), '')
  await expect.poll(() => versions.length, { timeout: 10_000 }).toBe(3)
  program('2')
  await expect.poll(() => versions.at(-1), { timeout: 10_000 }).toBe('2')
})
