// What every `npm run` of this project goes through, so that a fresh clone needs nothing but Node 20 and npm. It is
// plain JavaScript because it runs before anything is installed: it installs the pinned runtime and packages when
// they are missing or stale, generates the database client when the schema changed, and hands over to
// scripts/<command>.ts on the pinned Node.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { takeLock } from './lock-file.mjs'

const root = join(fileURLToPath(import.meta.url), '../..')
const [command, ...args] = process.argv.slice(2)
const script = join(root, 'scripts', `${command}.ts`)
const pinnedNode = join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node')
const installStamp = join(root, 'node_modules/.quartermaster-install')
const clientStamp = join(root, 'packages/db/src/generated/.quartermaster-schema')

if (!command || !existsSync(script)) {
  console.error(`There is no command "${command ?? ''}". package.json lists them under "scripts".`)
  process.exit(2)
}
if (Number(process.versions.node.split('.')[0]) < 20) {
  console.error(
    `This is Node ${process.versions.node}; at least 20 is needed to begin with.\n  → Install a newer Node.js.`,
  )
  process.exit(1)
}

await withLock(async () => {
  await installIfStale()
  await generateIfStale()
})
await handOver()

async function installIfStale() {
  const wanted = digest([
    'package.json',
    'package-lock.json',
    ...['apps', 'packages'].flatMap((folder) =>
      readdirSync(join(root, folder)).map((name) => `${folder}/${name}/package.json`),
    ),
    'test/package.json',
  ])
  if (read(installStamp) === wanted && existsSync(pinnedNode)) return
  say('Installing the pinned runtime and packages (a minute or two the first time)')
  // Not `npm ci`: it refuses a lock file without the optional packages of platforms that a registry does not carry.
  // With --no-save the locked versions are installed all the same, and the lock file stays as it is.
  const code = await run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'], {
    progress: true,
  })
  if (code !== 0)
    fail(
      'npm install failed; its own words are above.',
      'Check the network and the disk, then run the same command again.',
    )
  writeFileSync(installStamp, wanted)
}

async function generateIfStale() {
  const folder = 'prisma/schema'
  const wanted = digest([...readdirSync(join(root, folder)).map((name) => `${folder}/${name}`), 'package-lock.json'])
  if (read(clientStamp) === wanted) return
  say('Generating the database client')
  rmSync(join(root, 'packages/db/src/generated'), { recursive: true, force: true })
  // Generating needs no schema engine, but insists that the file exists; any executable will do (it is not run).
  const code = await run(pinnedNode, [join(root, 'node_modules/prisma/build/index.js'), 'generate'], {
    env: { PRISMA_SCHEMA_ENGINE_BINARY: pinnedNode, PRISMA_HIDE_UPDATE_MESSAGE: '1', CHECKPOINT_DISABLE: '1' },
    quiet: true,
  })
  if (code !== 0)
    fail('The database client could not be generated; the words of prisma are above.', 'Check prisma/schema.')
  writeFileSync(clientStamp, wanted)
}

/** The command itself, on the pinned Node. It keeps an IPC channel, so that it notices when this process is gone. */
async function handOver() {
  const child = spawn(pinnedNode, ['--disable-warning=ExperimentalWarning', script, ...args], {
    cwd: root,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: {
      // What each of our programs would otherwise read and compile anew at its start.
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
      ...process.env,
      PATH: [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter),
    },
  })
  // Ctrl-C in a terminal reaches the child by itself; a signal to this process alone is passed on. Either way the
  // child decides how to end, and this process only follows.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) =>
    fail(`The pinned Node could not be started: ${error.message}.`, 'Delete node_modules and run it again.'),
  )
  const [code, signal] = await new Promise((done) => child.on('exit', (...end) => done(end)))
  process.exit(code ?? (signal === 'SIGINT' ? 130 : 1))
}

/** Two commands started at once on a fresh clone must not install into each other. */
async function withLock(work) {
  const release = await waitForLock()
  process.on('exit', release)
  try {
    await work()
  } catch (error) {
    fail(`The set-up failed: ${error.message}.`, 'Check the disk and who owns the folder of the project.')
  }
  release()
  process.off('exit', release)
}

async function waitForLock() {
  const folder = join(root, '.data')
  for (let told = false; ; told = true) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o711 })
      const { release } = takeLock(join(folder, 'bootstrap.lock'))
      if (release) return release
    } catch (error) {
      if (error.code === 'ENOSPC')
        fail(`The disk is full: the set-up could not write to ${folder}.`, 'Free some space and run it again.')
      fail(`The set-up could not write to ${folder} (${error.code}).`, 'Check who owns the folder of the project.')
    }
    if (!told) say('Waiting for another command that is setting up')
    await sleep(200)
  }
}

function run(file, argv, { env = {}, quiet = false, progress = false } = {}) {
  // The pinned Node lies in the folder that an install replaces, so installing runs on the machine's own.
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  const child = spawn(file, argv, {
    cwd: root,
    stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
    shell: process.platform === 'win32',
    env: { ...process.env, PATH: path.join(delimiter), ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  const began = Date.now()
  const ticking =
    progress && setInterval(() => say(`  … still installing, ${Math.round((Date.now() - began) / 1000)} s`), 15_000)
  let stopped = false
  const stop = (signal) => {
    stopped = true
    child.kill(signal)
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  return new Promise((done) => {
    child.on('error', (error) => {
      console.error(error.message)
      done(1)
    })
    child.on('close', (code) => {
      clearInterval(ticking)
      process.off('SIGINT', stop).off('SIGTERM', stop)
      if (stopped) process.exit(130)
      if (code !== 0) process.stderr.write(output)
      done(code)
    })
  })
}

function digest(files) {
  const hash = createHash('sha256').update(process.platform + process.arch)
  for (const file of files.sort()) hash.update(`${file}\0`).update(read(join(root, file)) ?? '')
  return hash.digest('hex')
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null // Not there yet: stale.
  }
}

function say(what) {
  // Commands like `doctor --json` own their standard output.
  console.error(what)
}

function fail(sentence, fix) {
  console.error(`${sentence}\n  → ${fix}`)
  process.exit(1)
}
