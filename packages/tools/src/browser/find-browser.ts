// Which browser there is, in the order of how much a person meant it: the one they set, one of the system, one that
// Playwright installed, and at last the headless Chromium that came with the packages.
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isAbsolute, join } from 'node:path'
import { isPackagedUnpacked, packagedFolder, unpackPackaged } from './packaged-browser.ts'

export interface Browser {
  executablePath: string
  /** What it has to be started with here; hand it to Playwright's `launch` as it is. */
  args: string[]
  /** Variables to be set beside the caller's own when it is started. */
  env: Record<string, string>
  source: 'setting' | 'system' | 'playwright' | 'packaged'
}

export interface FindBrowserOptions {
  /** What QM_BROWSER holds: the path of an executable. When it is set, nothing else is looked for. */
  setting?: string | undefined
  /** False for a mere look: the packaged one is then named without being unpacked, and may not be there yet. */
  mayUnpack?: boolean
}

// The usual places rather than PATH: the answer does not depend on who asks.
const systemFolders = ['/usr/bin', '/usr/local/bin', '/snap/bin', '/opt/google/chrome', '/opt/homebrew/bin']
const systemNames = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome']
const systemPaths = [
  ...systemFolders.flatMap((folder) => systemNames.map((name) => join(folder, name))),
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** Null when there is none, or when the one that was set cannot be started. */
export async function findBrowser(options: FindBrowserOptions = {}): Promise<Browser | null> {
  if (options.setting)
    return isAbsolute(options.setting) && isExecutable(options.setting) ? found('setting', options.setting) : null
  const system = systemPaths.find(isExecutable)
  if (system) return found('system', system)
  const playwrights = findPlaywrightsOwn()
  if (playwrights) return found('playwright', playwrights)
  return findPackaged(options.mayUnpack ?? true)
}

function found(source: Browser['source'], executablePath: string, env: Record<string, string> = {}): Browser {
  // Containers often have 64 MB of /dev/shm, on which a tab crashes; files in the temporary folder do as well.
  const args = ['--disable-dev-shm-usage', '--font-render-hinting=none']
  if (!canSandbox()) args.push('--no-sandbox')
  return { executablePath, args, env, source }
}

function findPlaywrightsOwn(): string | null {
  // Loaded only when it is needed: it is large. `require` takes its CommonJS build without running anything.
  const { chromium } = createRequire(import.meta.url)('playwright-core') as typeof import('playwright-core')
  const path = chromium.executablePath()
  return path && isExecutable(path) ? path : null
}

async function findPackaged(mayUnpack: boolean): Promise<Browser | null> {
  const folder = packagedFolder()
  if (!folder) return null
  if (mayUnpack && !isPackagedUnpacked(folder)) await unpackPackaged(folder)
  const fonts = join(folder, 'fonts')
  // Its own fonts serve only a machine that has none.
  const env: Record<string, string> = existsSync('/etc/fonts/fonts.conf') ? {} : { FONTCONFIG_PATH: fonts }
  return found('packaged', join(folder, 'chromium'), env)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false // Not there, or not ours to run: both mean "not this one".
  }
}

/** Chromium's own sandbox refuses root, and elsewhere wants user namespaces that some systems keep from users. */
function canSandbox(): boolean {
  if (process.platform !== 'linux') return true
  if (process.getuid?.() === 0) return false
  return (
    readNumber('/proc/sys/user/max_user_namespaces') !== 0 &&
    readNumber('/proc/sys/kernel/unprivileged_userns_clone') !== 0 &&
    readNumber('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') !== 1
  )
}

function readNumber(file: string): number | null {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return null // This kernel has no such switch, so it switches nothing off.
  }
}
