import { execFile } from 'node:child_process'
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface Python {
  /** The program itself: no link, and no script that looks for one. */
  program: string
  /** What it needs besides the system's folders. */
  readPaths: string[]
}

const answerMs = 10_000
/** From 3.8 on the runner works; older ones are not looked at. */
const probe =
  'import sys, resource, json, re, typing\nassert sys.version_info >= (3, 8)\nprint(sys.executable)\nprint(sys.base_prefix)'

/** The first CPython that works; null where there is none. */
export async function findPython(candidates: readonly string[] = usualPlaces()): Promise<Python | null> {
  for (const candidate of candidates) {
    if (!existsSync(candidate)) continue
    try {
      const asked = await promisify(execFile)(candidate, ['-I', '-S', '-c', probe], {
        timeout: answerMs,
        env: {} as NodeJS.ProcessEnv,
        cwd: '/',
      })
      const [program = '', prefix = ''] = asked.stdout.trim().split('\n')
      const real = realpathSync(program)
      return { program: real, readPaths: [real, realpathSync(prefix)].filter((path) => !isOfSystem(path)) }
    } catch {
      // It does not work, or is a stub that wants to install one; the next may.
    }
  }
  return null
}

const isOfSystem = (path: string) => path === '/usr' || path.startsWith('/usr/')

function usualPlaces(): string[] {
  const versions = join(homedir(), '.pyenv/versions')
  const pyenv = existsSync(versions) ? readdirSync(versions).sort().reverse() : []
  return [
    ...['/usr/bin/python3', '/usr/local/bin/python3', '/opt/python/bin/python3'],
    ...pyenv.map((version) => join(versions, version, 'bin/python3')),
  ]
}
