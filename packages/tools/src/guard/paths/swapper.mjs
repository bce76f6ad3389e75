// For tests. Swaps the folder `dir` for a link to somewhere else and back, as fast as it can, until it is killed.
import { renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'

const [dir, target] = process.argv.slice(2)
process.stdout.write('ready\n')
for (;;) {
  renameSync(dir, `${dir}.real`)
  // Whoever is raced with may make the folder anew while it is away; then there is nothing to swap this time, and what
  // was made, and is maybe just being written to, has to go.
  if (attempt(() => symlinkSync(target, dir))) unlinkSync(dir)
  while (!attempt(() => renameSync(`${dir}.real`, dir))) attempt(() => rmSync(dir, { recursive: true, force: true }))
  // In its place for a moment, of any length: a folder that is never there is only ever missing.
  for (const end = performance.now() + Math.random() * 0.3; performance.now() < end; );
}

function attempt(work) {
  try {
    work()
    return true
  } catch {
    return false
  }
}
