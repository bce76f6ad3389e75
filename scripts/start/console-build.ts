// The console's production build, kept by content: apps/admin/.build/<digest of everything that goes into it>. A
// start and a test run that want the same build share it, a running console is never built over, and a build that
// was killed half-way is not mistaken for a whole one (the marker is written last).
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Problem, projectRoot } from '@quartermaster/db'
import { takeLock } from '../lock-file.mjs'
import { compressStatic } from './compress-static.ts'

const admin = join(projectRoot, 'apps/admin')
const inputs = ['apps/admin', 'packages', 'prisma/schema', 'package-lock.json', 'tsconfig.base.json']
const notInputs = new Set(['node_modules', '.build', '.next', '.turbo', 'generated', 'next-env.d.ts'])
/** How many builds are kept; older ones go. */
const kept = 3

/** The build for the sources as they stand, as a path relative to apps/admin; builds it first when there is none. */
export async function buildConsoleIfStale(onBuild: () => void, stop?: AbortSignal): Promise<string> {
  const name = digestOf(inputs)
  const folder = join(admin, '.build', name)
  const marker = join(folder, 'complete')
  mkdirSync(join(admin, '.build'), { recursive: true })
  while (!existsSync(marker)) {
    stop?.throwIfAborted()
    const { release } = takeLock(`${folder}.lock`)
    if (!release) {
      await sleep(250)
      continue
    }
    try {
      if (existsSync(marker)) break // Another one has just built it.
      onBuild()
      rmSync(folder, { recursive: true, force: true })
      await build(`.build/${name}`, stop)
      await compressStatic(folder)
      writeFileSync(marker, '')
    } finally {
      release()
    }
  }
  utimesSync(marker, new Date(), new Date())
  prune(name)
  return `.build/${name}`
}

async function build(dist: string, stop?: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, [join(projectRoot, 'node_modules/next/dist/bin/next'), 'build'], {
    cwd: admin,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...process.env, NODE_ENV: 'production', QM_CONSOLE_DIST: dist, NEXT_TELEMETRY_DISABLED: '1' },
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  // The whole group: the build has workers, and Ctrl-C in a terminal does not reach a group of its own.
  const end = () => child.pid && child.exitCode === null && process.kill(-child.pid, 'SIGKILL')
  stop?.addEventListener('abort', end, { once: true })
  process.on('exit', end)
  const code = await new Promise<number | null>((done, failed) => child.on('error', failed).on('close', done))
  process.off('exit', end)
  stop?.removeEventListener('abort', end)
  stop?.throwIfAborted()
  if (code !== 0)
    throw new Problem(`The console could not be built:\n${output.trim()}`, 'Mend what it names, then start again.')
}

function prune(current: string): void {
  const builds = join(admin, '.build')
  const complete = readdirSync(builds)
    .filter((name) => name !== current && existsSync(join(builds, name, 'complete')))
    .map((name) => ({ name, usedAt: statSync(join(builds, name, 'complete')).mtimeMs }))
    .sort((a, b) => b.usedAt - a.usedAt)
  for (const { name } of complete.slice(kept - 1)) rmSync(join(builds, name), { recursive: true, force: true })
}

function digestOf(paths: string[]): string {
  const hash = createHash('sha256')
  const visit = (path: string) => {
    const full = join(projectRoot, path)
    if (statSync(full).isDirectory()) {
      for (const name of readdirSync(full).sort())
        if (!notInputs.has(name) && !/\.test\.tsx?$/.test(name)) visit(join(path, name))
    } else hash.update(`${path}\0`).update(readFileSync(full))
  }
  for (const path of paths) visit(path)
  return hash.digest('hex').slice(0, 16)
}
