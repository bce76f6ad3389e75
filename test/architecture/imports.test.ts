// The direction of imports that docs/architecture.md gives. An import that goes the other way fails the build.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** What each part may import of the others; anything not listed is refused. */
const allowed: Record<string, string[]> = {
  'packages/tools': [],
  'packages/db': [],
  'apps/bot': ['packages/tools', 'packages/db'],
  'apps/admin': ['packages/tools', 'packages/db'],
}
const packages: Record<string, string> = {
  '@quartermaster/tools': 'packages/tools',
  '@quartermaster/db': 'packages/db',
  '@quartermaster/bot': 'apps/bot',
  '@quartermaster/admin': 'apps/admin',
  '@quartermaster/test': 'test',
}

function sourcesOf(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (statSync(path).isDirectory())
      return name === 'generated' || name === 'node_modules' || name.startsWith('.') ? [] : sourcesOf(path)
    return /\.([cm]?[jt]s|[jt]sx)$/.test(name) ? [path] : []
  })
}

export function importsIn(source: string): string[] {
  // A comment may stand between `import(` and what is imported (turbopackIgnore).
  const before = String.raw`\bfrom\s*|\bimport\s*\(\s*(?:/\*.*?\*/\s*)?|\bimport\s*|\brequire(?:\.resolve)?\s*\(\s*|\bimport\.meta\.resolve\s*\(\s*|\bmock\s*\(\s*`
  const pattern = new RegExp(`(?:${before})(['"\`])([^'"\`\n]+)\\1`, 'g')
  return [...source.matchAll(pattern)].map((match) => match[2] as string)
}

/** Which part of the house a specifier leads to, or null for a package from outside. */
function partOf(specifier: string, file: string): string | null {
  if (/^[./]|^file:/.test(specifier)) {
    const target = relative(root, resolve(file, '..', specifier.replace(/^file:\/\//, '')))
    return (
      Object.values(packages).find((part) => target === part || target.startsWith(`${part}/`)) ??
      target.split('/')[0] ??
      null
    )
  }
  const name = specifier.split('/').slice(0, 2).join('/')
  return packages[name] ?? null
}

/** Imports that go the wrong way, or the right way by another door than the exports map of the package. */
function wrongImports(file: string, source: string, part: string): string[] {
  return importsIn(source)
    .map((specifier) => ({ specifier, target: partOf(specifier, file) }))
    .filter(({ specifier, target }) => {
      if (target === null || target === part) return false
      return !allowed[part]?.includes(target) || !isDoor(specifier)
    })
    .map(({ specifier }) => `${relative(root, file)} imports ${specifier}`)
}

/** Whether a specifier is one that the package itself offers; a path into its folders never is. */
function isDoor(specifier: string): boolean {
  const [scope, name, ...rest] = specifier.split('/')
  const part = packages[`${scope}/${name}`]
  if (!part) return false
  const { exports } = JSON.parse(readFileSync(join(root, part, 'package.json'), 'utf8')) as { exports?: object }
  return Object.keys(exports ?? {}).includes(['.', ...rest].join('/'))
}

for (const [part, mayImport] of Object.entries(allowed)) {
  test(`${part} imports only ${mayImport.join(' and ') || 'itself'} of the house`, () => {
    // The whole part, not only its `src`: a configuration file beside it is no way round.
    const wrong = sourcesOf(join(root, part)).flatMap((file) => wrongImports(file, readFileSync(file, 'utf8'), part))
    expect(wrong).toEqual([])
  })
}

test('the reader of imports sees every way to import', () => {
  const source = [
    `import a from 'one'`,
    `import type { B } from "two"`,
    `export { c } from 'three'`,
    `await import('four')`,
    `import 'five'`,
    'await import(`six`)',
    `await import(/* turbopackIgnore: true */ 'seven')`,
    `createRequire(import.meta.url)('x'); require('eight'); import.meta.resolve('nine')`,
    `import{d}from'ten'`,
    `import {\n  e,\n} from 'eleven'`,
  ].join('\n')
  expect(importsIn(source)).toEqual([
    ...['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven'],
  ])
})

test.each([
  ['packages/tools', '@quartermaster/db'],
  ['packages/tools', '../../db/src/index.ts'],
  ['packages/db', '@quartermaster/tools'],
  ['packages/db', '../../../apps/bot/src/env.ts'],
  ['packages/db', '../../../scripts/environment.ts'],
  ['packages/db', '../../../test/e2e/product.ts'],
  ['apps/bot', '@quartermaster/admin'],
  ['apps/bot', '../../admin/src/env.ts'],
  ['apps/admin', '@quartermaster/bot'],
  ['apps/admin', '../../bot/src/env.ts'],
  ['apps/bot', '../../../packages/db/src/client.ts'],
  ['apps/bot', '@quartermaster/db/src/client.ts'],
  ['apps/bot', `${root}/packages/db/src/client.ts`],
])('%s may not import %s', (part, specifier) => {
  const file = join(root, part, 'src/some.ts')
  expect(wrongImports(file, `import { x } from '${specifier}'`, part)).toHaveLength(1)
})

test.each([
  ['apps/bot', '@quartermaster/db'],
  ['apps/bot', '@quartermaster/db/embedded-postgres'],
  ['apps/admin', '@quartermaster/tools'],
  ['apps/bot', './log.ts'],
  ['packages/db', 'pg'],
])('%s may import %s', (part, specifier) => {
  const file = join(root, part, 'src/some.ts')
  expect(wrongImports(file, `import { x } from '${specifier}'`, part)).toEqual([])
})

test('process.env is read in one file an app, and in the packages only where a process of ours is started or tested', () => {
  const readersIn = (folder: string) =>
    sourcesOf(join(root, folder, 'src'))
      .filter(
        (file) =>
          !file.includes('.test.') && /process\.env\b|\benv\b.*from 'node:process'/.test(readFileSync(file, 'utf8')),
      )
      .map((file) => relative(root, file))
  for (const app of ['apps/bot', 'apps/admin'])
    expect(readersIn(app).filter((file) => file !== `${app}/src/env.ts`)).toEqual([])
  expect(readersIn('packages/db')).toEqual(['packages/db/src/embedded-postgres.ts', 'packages/db/src/testing.ts'])
  expect(readersIn('packages/tools').filter((file) => !/sandbox|browser/.test(file))).toEqual([])
})
