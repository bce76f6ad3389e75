import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { AnyTool } from '../../contract.ts'
import { holdsUnlikePlantedBug } from '../../guard/planted-bug.ts'
import { sandboxAccount } from '../../sandbox/sandbox-account.ts'
import { sampleContext } from '../../testing/sample-tools.ts'
import { describeToolContract } from '../../testing/tool-contract.ts'
import { createCaller, createSampleWorkFolder, type SampleWorkFolder } from '../files/sample-work-folder.ts'
import { createGitTools } from './git-tools.ts'

const account = sandboxAccount()
/** Git as the owner of the folder, with none of our precautions. */
function git(folder: SampleWorkFolder, ...args: string[]): string {
  return execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...args], {
    cwd: folder.root,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(account ?? {}),
  })
}

async function createRepository(): Promise<SampleWorkFolder> {
  const folder = await createSampleWorkFolder()
  git(folder, 'init', '--initial-branch=main')
  folder.put('a.txt', 'one\n')
  git(folder, 'add', 'a.txt')
  git(folder, 'commit', '-m', 'first')
  return folder
}

const made: SampleWorkFolder[] = []
const shared = await createRepository()
made.push(shared)
afterAll(() => {
  for (const folder of made) folder.remove()
})
const named = (name: string) => createGitTools(shared).find((tool) => tool.name === name) as AnyTool
describeToolContract(named('git.status'), { validArguments: {} })
describeToolContract(named('git.diff'), { validArguments: { staged: true } })
describeToolContract(named('git.commit'), {
  validArguments: { message: 'x', files: ['a.txt'] },
  invalidArguments: [{ message: '' }, { message: 'x', files: [] }],
})

let folder: SampleWorkFolder
let call: ReturnType<typeof createCaller>['call']
let card: ReturnType<typeof createCaller>['card']
beforeEach(async () => {
  folder = await createRepository()
  made.push(folder)
  ;({ call, card } = createCaller(createGitTools(folder)))
})

describe('git.status', () => {
  test('says the branch and what is staged, modified and untracked', async () => {
    expect(await call('git_status', {})).toMatchObject({ output: 'On branch main\nNothing to commit' })
    folder.put('b.txt', 'two\n')
    folder.put('dir/two\nlines', '')
    folder.put('a.txt', 'changed\n')
    folder.put('c.txt', 'three\n')
    git(folder, 'add', 'c.txt')
    expect((await call('git_status', {})).output).toBe(
      [
        'On branch main',
        'Staged:\n  added c.txt',
        'Modified, not staged:\n  modified a.txt',
        'Untracked:\n  b.txt\n  dir/',
      ].join('\n'),
    )
    git(folder, 'mv', '-f', 'a.txt', 'with space.txt')
    const { data } = await call('git.status', { path: '.' })
    expect(data).toMatchObject({ branch: 'main', staged: [{ path: 'c.txt' }, { change: 'renamed', from: 'a.txt' }] })
  })

  test('knows a repository before its first commit, and one that is on no branch', async () => {
    git(folder, 'checkout', '--detach')
    expect((await call('git.status', {})).output).toMatch(/^At commit [0-9a-f]{12}, on no branch/)
    const empty = await createSampleWorkFolder()
    made.push(empty)
    git(empty, 'init', '--initial-branch=main')
    const { call: callEmpty } = createCaller(createGitTools(empty))
    expect((await callEmpty('git.status', {})).output).toBe('On branch main\nNo commits yet\nNothing to commit')
  })

  test('says that a folder is no repository, also where one lies above the work folder', async () => {
    const outer = await createSampleWorkFolder()
    made.push(outer)
    mkdirSync(join(outer.base, '.git'))
    execFileSync('git', ['init', '--quiet', '--initial-branch=main'], { cwd: outer.base })
    const { call: callOuter } = createCaller(createGitTools(outer))
    for (const tool of ['git.status', 'git.diff'])
      expect((await callOuter(tool, {})).error).toMatch(/^\. is not in a git repository of the work folder\. Give path/)
    expect((await callOuter('git.commit', { message: 'x' })).error).toMatch(/not in a git repository/)
    expect((await callOuter('git.status', { path: '..' })).error).toMatch(/leads out of the work folder/)
    outer.put('.git', 'gitdir: ../.git\n')
    expect((await callOuter('git.status', {})).success).toBe(false)
  })
})

describe('git.diff', () => {
  test('shows what is not staged, or what is', async () => {
    folder.put('a.txt', 'two\n')
    expect((await call('git_diff', { staged: false })).output).toContain('-one\n+two')
    expect((await call('git_diff', { staged: true })).output).toBe('Nothing is staged.')
    git(folder, 'add', 'a.txt')
    expect((await call('git_diff', {})).output).toMatch(/^Nothing has changed that is not staged/)
    expect((await call('git_diff', { staged: true })).output).toContain('-one\n+two')
    expect((await call('git_diff', { staged: true, files: ['b.txt'] })).output).toBe('Nothing is staged.')
  })

  test('ends when there is enough', async () => {
    folder.put('a.txt', 'many lines\n'.repeat(50_000))
    const { output } = await call('git.diff', {})
    expect(output).toContain('(There is more: give files to see the rest.)')
    expect(output.length).toBeLessThan(100 * 1024)
  })
})

describe('git.commit', () => {
  test('commits the files it is given and nothing else', async () => {
    folder.put('src/auth.js', 'x\n')
    folder.put('test/auth.test.js', 'y\n')
    folder.put('other.txt', 'z\n')
    git(folder, 'add', 'other.txt')
    const input = { message: 'Fix authentication bug', files: ['src/auth.js', 'test/auth.test.js'] }
    const result = await call('git_commit', input)
    expect(result).toMatchObject({ success: true, output: expect.stringContaining('Fix authentication bug') })
    expect(git(folder, 'show', '--name-only', '--format=%s|%an|%ae', 'HEAD').trim()).toBe(
      'Fix authentication bug|Quartermaster|agent@quartermaster.invalid\n\nsrc/auth.js\ntest/auth.test.js',
    )
    expect(git(folder, 'diff', '--cached', '--name-only').trim()).toBe('other.txt')
    expect(result.data).toEqual({ commit: git(folder, 'rev-parse', 'HEAD').trim() })
  })

  test('commits what is staged where no files are given, under the name that was set', async () => {
    folder.put('a.txt', 'two\n')
    expect((await call('git_commit', { message: 'x' })).error).toMatch(/^Nothing is staged\. Say which files/)
    git(folder, 'add', 'a.txt')
    git(folder, 'config', 'user.name', 'Own Name')
    await call('git_commit', { message: '# not a comment\n\nbody' }, { config: { author_email: 'bot@example.com' } })
    expect(git(folder, 'log', '-1', '--format=%B|%an|%ae')).toContain(
      '# not a comment\n\nbody\n|Own Name|bot@example.com',
    )
    expect((await call('git_commit', { message: 'x', files: ['a.txt'] })).error).toMatch(/nothing to commit/)
    expect((await call('git_commit', { message: 'x', files: ['nope.txt'] })).error).toMatch(/nope.txt/)
    expect((await call('git_commit', { message: 'x', files: ['../../etc/passwd'] })).error).toMatch(
      /outside repository/,
    )
    expect((await call('git_commit', { message: ' ' })).error).toMatch(/empty/)
  })

  test('commits a deleted file, and one whose name looks like an option or a pattern', async () => {
    git(folder, 'rm', 'a.txt')
    for (const name of ['--all', '*', ':(top)x']) folder.put(name, 'x')
    folder.put('stays.txt', 'x')
    const files = ['--all', '*', ':(top)x', 'a.txt']
    expect(await call('git.commit', { message: 'x', files })).toMatchObject({ success: true })
    expect(git(folder, 'show', '--name-only', '--format=', 'HEAD').trim().split('\n').sort()).toEqual([
      '*',
      '--all',
      ':(top)x',
      'a.txt',
    ])
    expect(git(folder, 'status', '--short')).toContain('?? stays.txt')
  })

  test('runs the tests first where they are required, and returns what failed', async () => {
    folder.put('a.txt', 'two\n')
    const commit = (test_command: string) =>
      call('git_commit', { message: 'x', files: ['a.txt'] }, { config: { require_tests: true, test_command } })
    expect(await commit('echo 1 of 2 failed; echo why >&2; exit 3')).toMatchObject({
      success: false,
      error: expect.stringMatching(/failed \(exit code 3\), so nothing was committed/),
      output: '1 of 2 failed\nwhy',
    })
    expect(git(folder, 'log', '--format=%s').trim()).toBe('first')
    expect(await commit('grep -q two a.txt')).toMatchObject({ success: true })
    expect(git(folder, 'log', '-1', '--format=%s').trim()).toBe('x')
    const withoutCommand = { config: { require_tests: true } }
    expect((await call('git_commit', { message: 'x' }, withoutCommand)).error).toMatch(
      /test_command does not say which/,
    )
  })

  test('does not store what the repository wants through a filter', async () => {
    folder.put('.gitattributes', '*.psd filter=lfs\n')
    folder.put('a.psd', 'x')
    expect((await call('git_commit', { message: 'x', files: ['a.psd'] })).error).toMatch(
      /a.psd is kept through a filter/,
    )
    expect(await call('git_commit', { message: 'x', files: ['.gitattributes'] })).toMatchObject({ success: true })
  })

  describe('of what is staged', () => {
    const commitTool = () => createGitTools(folder).find(({ name }) => name === 'git.commit') as AnyTool
    const planned = async (args: object) => {
      const completed = await commitTool().complete!({ path: '.', ...args } as never, sampleContext())
      if (!completed.ok) throw new Error(completed.problem)
      return completed.arguments
    }
    const stage = (path: string) => {
      folder.put(path, 'evil\n')
      git(folder, 'add', path)
    }
    beforeEach(() => {
      folder.put('a.txt', 'two\n')
      folder.put('sub/b\u202e.txt', 'new\n')
      git(folder, 'add', '.')
    })

    test('shows each file on the card, from any folder of the repository', async () => {
      for (const path of ['.', 'sub'])
        expect(await card('git.commit', { message: 'Fix it', path })).toEqual({
          title: 'Commit what is staged: 2 files',
          facts: [
            { label: 'Message', value: 'Fix it' },
            { label: 'Staged', value: 'modified a.txt\nadded "sub/b\\u202e.txt"' },
          ],
        })
    })

    test('is planned the same a second time, and committed as planned', async () => {
      const args = await planned({ message: 'x' })
      expect(await planned(args)).toEqual(args)
      folder.put('a.txt', 'three, not staged\n')
      expect(await commitTool().execute(args as never, sampleContext())).toMatchObject({ success: true })
      expect(git(folder, 'show', 'HEAD:a.txt')).toBe('two\n')
    })

    test.each<[what: string, change: () => void]>([
      ['another file is staged', () => stage('c.txt')],
      ['a file has another content', () => stage('a.txt')],
      ['a file has another mode', () => git(folder, 'update-index', '--chmod=+x', 'a.txt')],
      ['a file is staged no more', () => git(folder, 'reset', '-q', 'a.txt')],
      ['it was committed meanwhile', () => git(folder, 'commit', '-m', 'by somebody else')],
    ])('is refused where %s', async (_what, change) => {
      const args = await planned({ message: 'x' })
      change()
      const before = git(folder, 'rev-parse', 'HEAD')
      expect(await commitTool().execute(args as never, sampleContext())).toMatchObject({
        success: false,
        error: expect.stringMatching(/^What is staged has changed since this call was planned\. Nothing was committed/),
      })
      // The executor completes an approved call once more before it runs.
      expect(await commitTool().complete!(args as never, sampleContext())).toMatchObject({
        ok: false,
        problem: expect.stringMatching(/^What is staged has changed/),
      })
      expect(git(folder, 'rev-parse', 'HEAD')).toBe(before)
    })

    test('is refused where the tests stage something', async () => {
      const config = { require_tests: true, test_command: 'echo x > c.txt && git add c.txt' }
      expect((await call('git.commit', { message: 'x' }, { config })).error).toMatch(/^What is staged has changed/)
    })

    test('is not taken from whoever calls it', async () => {
      const staged = { files: [{ path: 'harmless.txt', change: 'modified' }], total: 1, digest: 'x' }
      expect((await call('git.commit', { message: 'x', staged })).error).toMatch(/^What is staged has changed/)
      expect(await planned({ message: 'x', files: ['a.txt'], staged })).toEqual({
        message: 'x',
        files: ['a.txt'],
        path: '.',
      })
    })

    test('counts what it does not name, also before the first commit, and hides no submodule', async () => {
      const empty = await createSampleWorkFolder()
      made.push(empty)
      git(empty, 'init', '--initial-branch=main')
      git(empty, 'config', 'diff.ignoreSubmodules', 'all')
      for (let index = 0; index < 259; index++) empty.put(`f${String(index).padStart(3, '0')}`, 'x')
      empty.put('a-sub/x', 'x')
      git(empty, '-C', 'a-sub', 'init')
      git(empty, '-C', 'a-sub', 'add', 'x')
      git(empty, '-C', 'a-sub', 'commit', '-m', 'x')
      git(empty, '-c', 'advice.addEmbeddedRepo=false', 'add', '.')
      const { card: cardEmpty, call: callEmpty } = createCaller(createGitTools(empty))
      const { title, facts } = await cardEmpty('git.commit', { message: 'x' })
      expect(title).toBe('Commit what is staged: 260 files')
      expect(facts?.[1]?.value).toMatch(/^added a-sub\nadded f000\n[\s\S]*\nadded f048\n… and 210 more$/)
      expect(await callEmpty('git.commit', { message: 'x' })).toMatchObject({ success: true })
    })
  })

  test('shows the message and the files', async () => {
    expect(await card('git.commit', { message: 'Fix it', files: ['a.txt', 'b\u202e.txt'] })).toEqual({
      title: 'Commit 2 files',
      facts: [
        { label: 'Message', value: 'Fix it' },
        { label: 'Files', value: 'a.txt\n"b\\u202e.txt"' },
      ],
    })
  })
})

describe('a repository that names programs', () => {
  /** Each leaves a file behind when it is run, by a tool or by git itself. */
  const traps: [what: string, set: (folder: SampleWorkFolder, program: string) => void][] = [
    ...[
      'pre-commit',
      'commit-msg',
      'prepare-commit-msg',
      'post-commit',
      'post-index-change',
      'reference-transaction',
    ].map((hook): [string, (folder: SampleWorkFolder, program: string) => void] => [
      `the hook ${hook}`,
      (target, program) => {
        target.put(`.git/hooks/${hook}`, `#!/bin/sh\n${program}\n`)
        chmodSync(join(target.root, `.git/hooks/${hook}`), 0o755)
      },
    ]),
    [
      'hooks of its own folder',
      (target, program) => {
        target.put('hooks/pre-commit', `#!/bin/sh\n${program}\n`)
        chmodSync(join(target.root, 'hooks/pre-commit'), 0o755)
        git(target, 'config', 'core.hooksPath', 'hooks')
      },
    ],
    ['a monitor', (target, program) => git(target, 'config', 'core.fsmonitor', program)],
    ['a diff program', (target, program) => git(target, 'config', 'diff.external', program)],
    [
      'a diff driver',
      (target, program) => {
        target.put('.gitattributes', '* diff=evil\n')
        git(target, 'config', 'diff.evil.command', program)
      },
    ],
    [
      'a text conversion',
      (target, program) => {
        target.put('.gitattributes', '* diff=evil\n')
        git(target, 'config', 'diff.evil.textconv', program)
      },
    ],
    [
      'a clean filter',
      (target, program) => {
        target.put('.git/info/attributes', 'a.txt filter=evil.name=x\n')
        git(target, 'config', 'filter.evil.name=x.clean', `${program}; cat`)
      },
    ],
    [
      'a process filter',
      (target, program) => {
        target.put('.git/info/attributes', 'a.txt filter=evil\n')
        git(target, 'config', 'filter.evil.process', program)
        git(target, 'config', 'filter.evil.required', 'true')
      },
    ],
    [
      'a filter in a file that is included',
      (target, program) => {
        target.put('.git/info/attributes', 'a.txt filter=evil\n')
        target.put('.git/more', `[filter "evil"]\n\tclean = "${program}; cat"\n`)
        git(target, 'config', 'include.path', 'more')
      },
    ],
    ['an editor', (target, program) => git(target, 'config', 'core.editor', program)],
    [
      'a signing program',
      (target, program) => {
        target.put('sign.sh', `#!/bin/sh\n${program}\n`)
        chmodSync(join(target.root, 'sign.sh'), 0o755)
        git(target, 'config', 'gpg.program', join(target.root, 'sign.sh'))
        git(target, 'config', 'commit.gpgSign', 'true')
      },
    ],
    [
      'a monitor of a submodule',
      (target, program) => {
        target.put('sub/x', 'x')
        git(target, '-C', 'sub', 'init')
        git(target, '-C', 'sub', 'add', 'x')
        git(target, '-C', 'sub', 'commit', '-m', 'x')
        git(target, '-c', 'advice.addEmbeddedRepo=false', 'add', 'sub')
        git(target, 'commit', '-m', 'sub')
        git(target, '-C', 'sub', 'config', 'core.fsmonitor', program)
      },
    ],
  ]

  const plainGit = (target: SampleWorkFolder) => {
    for (const args of [['status'], ['diff'], ['commit', '--all'], ['commit', '--all', '-m', 'x']])
      try {
        git(target, ...args)
      } catch {
        // Some of the traps end git as well.
      }
  }
  const tools = async (target: SampleWorkFolder) => {
    const { call: callTarget } = createCaller(createGitTools(target))
    for (const [tool, args] of [
      ['git.status', {}],
      ['git.diff', {}],
      ['git.diff', { staged: true }],
      ['git.commit', { message: 'x' }],
    ] as const)
      await callTarget(tool, args)
    // Refused where a filter is meant to run; in this case nothing ran either.
    await callTarget('git.commit', { message: 'x', files: ['a.txt'] })
  }

  test.each(traps)('does not get it run: %s', async (_what, set) => {
    await holdsUnlikePlantedBug(tools, plainGit as typeof tools, async (use) => {
      const target = await createRepository()
      made.push(target)
      const trace = join(target.root, 'trace')
      set(target, `touch ${trace}`)
      writeFileSync(join(target.root, 'a.txt'), 'changed\n')
      writeFileSync(join(target.root, 'b.txt'), 'new\n')
      git(target, 'add', 'b.txt')
      // What `set` and the staging did may have run some of them.
      execFileSync('rm', ['-f', trace])
      await use(target)
      expect(existsSync(trace)).toBe(false)
    })
  })
})
