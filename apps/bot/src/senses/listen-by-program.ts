import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Media } from '@quartermaster/tools'

const outputBytes = 2 * 1024 * 1024
const programMs = 280_000
const usualPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * The owner's own program, e.g. whisper.cpp: `{file}` in its command is the recording, `{language}` what was said or
 * `auto`; what it prints are the words. No shell, none of our settings in its environment, and its whole process group
 * ends with the call. Throws a sentence where it fails.
 */
export async function listenByProgram(
  command: readonly string[],
  recording: Media,
  language: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'qm-listen-'))
  try {
    const file = join(folder, recording.filename ?? 'recording')
    await writeFile(file, Buffer.from(recording.data, 'base64'), { mode: 0o600 })
    const [program = '', ...args] = command.map((word) =>
      word.replaceAll('{file}', file).replaceAll('{language}', language ?? 'auto'),
    )
    return await run(program, args, folder, AbortSignal.any([signal, AbortSignal.timeout(programMs)]))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function run(program: string, args: string[], cwd: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const environment = { PATH: usualPath, LANG: 'C.UTF-8', HOME: cwd }
  const child = spawn(program, args, { cwd, env: environment, detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  const end = () => {
    try {
      if (child.pid) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
  signal.addEventListener('abort', end)
  const chunks: Uint8Array[] = []
  let length = 0
  child.stdout.on('data', (chunk: Uint8Array) => {
    length += chunk.byteLength
    if (length > outputBytes) end()
    else chunks.push(chunk)
  })
  child.on('error', (error: NodeJS.ErrnoException) =>
    reject(new Error(`The program that transcribes could not be started (${error.code ?? error.message}).`)),
  )
  child.on('close', (code) => {
    signal.removeEventListener('abort', end)
    end()
    if (signal.aborted) reject(new Error('The program that transcribes was stopped: it took too long, or was told to.'))
    else if (length > outputBytes) reject(new Error('The program that transcribes wrote too much.'))
    else if (code !== 0) reject(new Error(`The program that transcribes failed (exit code ${code}).`))
    else resolve(Buffer.concat(chunks).toString('utf8'))
  })
  return promise
}
