import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Check, ok, problem } from './check.ts'

/** The Node that everything runs on: the one that package.json pins, whatever the machine has. */
export function checkNode(root: string): Check {
  const wanted = /\d+/.exec(readJson(join(root, 'package.json')).devDependencies.node)?.[0]
  const running = process.versions.node
  return running.split('.')[0] === wanted
    ? ok('Node', `${running}, as the project pins it.`)
    : problem('Node', `This is Node ${running}, and the project pins ${wanted}.`, 'Run it through npm: npm run doctor.')
}

/** Whether what is installed is what package-lock.json says. */
export function checkPackages(root: string): Check {
  const installed = join(root, 'node_modules/.package-lock.json')
  const fix = 'Run "npm ci" in the project’s folder.'
  if (!existsSync(installed)) return problem('Packages', 'The packages are not installed.', fix)
  const there = readJson(installed).packages as Record<string, Entry>
  const wanted = Object.entries(readJson(join(root, 'package-lock.json')).packages as Record<string, Entry>).filter(
    // Optional ones are for other machines as well, and links are our own folders.
    ([path, entry]) => path.startsWith('node_modules/') && !entry.optional && !entry.devOptional && !entry.link,
  )
  const wrong = wanted.filter(([path, entry]) => there[path]?.version !== entry.version)
  if (!wrong.length) return ok('Packages', `${wanted.length} packages are installed as package-lock.json says.`)
  const names = wrong.map(([path]) => path.replace(/^.*node_modules\//, ''))
  return problem('Packages', `${wrong.length} are missing or of another version: ${shorten(names)}.`, fix)
}

interface Entry {
  version: string
  optional?: boolean
  devOptional?: boolean
  link?: boolean
}

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'))

const shorten = (names: string[]) => (names.length > 3 ? `${names.slice(0, 3).join(', ')} …` : names.join(', '))
