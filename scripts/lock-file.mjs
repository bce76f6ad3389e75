// A file that names the one process that may do something: set up, build, run on a data folder. Plain JavaScript,
// because bootstrap.mjs needs it before anything is installed.
//
// The holder is a pid and, on Linux, the moment that process began: pids are used again, and a lock that a killed
// process left must not belong to whoever got its number. The file appears under its name with its content in it, so
// nobody ever reads a half-written one.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** Takes the lock, or says who has it. Errors of the file system are thrown. */
export function takeLock(file) {
  const me = identify(process.pid)
  for (;;) {
    if (place(file, me)) return { release: () => read(file) === me && rmSync(file, { force: true }), heldBy: null }
    const holder = read(file)
    if (holder === null) continue // It was given back in this moment.
    const pid = Number.parseInt(holder, 10)
    if (pid > 0 && identify(pid) === holder) return { release: null, heldBy: pid }
    removeStale(file, holder)
  }
}

function place(file, content) {
  const draft = `${file}.${process.pid}`
  try {
    writeFileSync(draft, content)
    linkSync(draft, file)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    return false
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Of several that find the same dead holder one moves its file away; a file that was new by then is put back. */
function removeStale(file, holder) {
  const aside = `${file}.${process.pid}.stale`
  try {
    renameSync(file, aside)
    if (read(aside) !== holder) linkSync(aside, file)
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

/** `pid:start` of a living process, only the pid where the system does not tell more; null when it is gone. */
function identify(pid) {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (error.code !== 'EPERM') return null
  }
  if (process.platform !== 'linux') return String(pid)
  // After the name, which is in parentheses and may hold anything: the state first, the start as the twentieth.
  const fields = read(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ')
  // A zombie has ended, only nobody has asked for its code yet.
  return fields && fields[0] !== 'Z' ? `${pid}:${fields[19]}` : null
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null // Not there (any more).
  }
}
