// The direction of imports that docs/architecture.md gives. An import that goes the other way fails the build.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
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
    if (statSync(path).isDirectory()) return name === 'generated' || name === 'node_modules' ? [] : sourcesOf(path)
    return /\.(ts|tsx|mts|mjs)$/.test(name) ? [path] : []
  })
}

export function importsIn(source: string): string[] {
  const pattern = /(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)(['"])([^'"\n]+)\1/g
  return [...source.matchAll(pattern)].map((match) => match[2] as string)
}

/** Which part of the house a specifier leads to, or null for a package from outside. */
function partOf(specifier: string, file: string): string | null {
  if (specifier.startsWith('.')) {
    const target = relative(root, join(file, '..', specifier))
    return (
      Object.values(packages).find((part) => target === part || target.startsWith(`${part}/`)) ??
      target.split('/')[0] ??
      null
    )
  }
  const name = specifier.split('/').slice(0, 2).join('/')
  return packages[name] ?? null
}

for (const [part, mayImport] of Object.entries(allowed)) {
  test(`${part} imports only ${mayImport.join(' and ') || 'itself'} of the house`, () => {
    const wrong = sourcesOf(join(root, part, 'src')).flatMap((file) =>
      importsIn(readFileSync(file, 'utf8'))
        .map((specifier) => ({ specifier, target: partOf(specifier, file) }))
        .filter(({ target }) => target !== null && target !== part && !mayImport.includes(target))
        .map(({ specifier }) => `${relative(root, file)} imports ${specifier}`),
    )
    expect(wrong).toEqual([])
  })
}

test('the reader of imports sees static, dynamic, type and side-effect imports', () => {
  const source = `import a from 'one'\nimport type { B } from "two"\nexport { c } from 'three'\nawait import('four')\nimport 'five'`
  expect(importsIn(source)).toEqual(['one', 'two', 'three', 'four', 'five'])
})

test('process.env is read in one file an app', () => {
  for (const app of ['apps/bot', 'apps/admin']) {
    const readers = sourcesOf(join(root, app, 'src'))
      .filter((file) => !file.includes('.test.') && /process\.env\b/.test(readFileSync(file, 'utf8')))
      .map((file) => relative(root, file))
    expect(readers.filter((file) => file !== `${app}/src/env.ts`)).toEqual([])
  }
})
