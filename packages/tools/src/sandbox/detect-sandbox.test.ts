import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { detectSandbox } from './detect-sandbox.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'qm-sandbox-'))
  chmodSync(folder, 0o755)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function install(name: string, script: string) {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, name), 0o755)
}

test('a machine without bwrap has no sandbox, and is told which package brings one', async () => {
  expect(await detectSandbox({ folders: ['/nonexistent'] })).toEqual({
    kind: 'none',
    detail: 'bwrap is not installed.',
    fix: expect.stringContaining('apt install bubblewrap'),
  })
})

test('a bwrap that is installed but refuses to work counts as none, with its own reason', async () => {
  install('bwrap', 'echo "bwrap: No permissions to create new namespace" >&2; exit 1')
  const sandbox = await detectSandbox({ folders: [folder, '/usr/bin'] })
  expect(sandbox.kind).toBe('none')
  expect(sandbox.detail).toContain('No permissions to create new namespace')
  expect(sandbox.fix).toContain('user namespaces')
})

test('a bwrap that works is a sandbox, and it was tried with every flag that keeps a program in', async () => {
  install('bwrap', `echo "$@" > ${folder}/arguments; id -u > ${folder}/account; exit 0`)
  chmodSync(folder, 0o777)
  expect(await detectSandbox({ folders: [folder, '/usr/bin'] })).toMatchObject({ kind: 'bubblewrap', fix: null })
  const given = readFileSync(join(folder, 'arguments'), 'utf8')
  for (const flag of ['--unshare-all', '--disable-userns', '--cap-drop ALL', '--die-with-parent', '--clearenv'])
    expect(given).toContain(flag)
  // Root is left behind before bwrap starts.
  expect(readFileSync(join(folder, 'account'), 'utf8').trim()).not.toBe('0')
})
