// For tests: the ways of the file and git tools that depend on who we are, as whoever runs this. Prints JSON.
//   node ordinary-user-probe.ts
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createGitTools } from '../git/git-tools.ts'
import { createFileTools } from './file-tools.ts'
import { createCaller, createSampleWorkFolder } from './sample-work-folder.ts'

const folder = await createSampleWorkFolder()
const { call } = createCaller([...createFileTools(folder), ...createGitTools(folder)])
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...args], {
    cwd: folder.root,
    encoding: 'utf8',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()
const outcome = async (name: string, args: Record<string, unknown>) => {
  const { success, output, error } = await call(name, args)
  return success ? output : `refused: ${error}`
}
try {
  git('init', '--initial-branch=main')
  const written = await outcome('file.write', { path: 'src/a.txt', content: 'one needle\n' })
  const edited = await outcome('file.edit', { path: 'src/a.txt', search: 'one', replace: 'two' })
  mkdirSync(join(folder.root, 'closed'), { mode: 0o555 })
  const results = {
    uid: process.getuid?.(),
    owner: statSync(join(folder.root, 'src/a.txt')).uid,
    written,
    edited,
    content: readFileSync(join(folder.root, 'src/a.txt'), 'utf8'),
    read: await outcome('file.read', { path: 'src/a.txt' }),
    grep: await outcome('file.grep', { pattern: 'needle' }),
    glob: await outcome('file.glob', { pattern: '**/*.txt' }),
    closed: await outcome('file.write', { path: 'closed/x.txt', content: 'x' }),
    outside: await outcome('file.read', { path: '../../../etc/passwd' }),
    batch: await outcome('file.batch', {
      operation: 'rename',
      directory: 'src',
      pattern: '*.txt',
      replacement: '$1.md',
    }),
    names: readdirSync(join(folder.root, 'src')),
    committed: await outcome('git.commit', { message: 'first', files: ['src/a.md'] }),
    status: await outcome('git.status', {}),
    log: git('log', '--format=%s|%an'),
  }
  console.log(JSON.stringify(results))
} finally {
  folder.remove()
}
