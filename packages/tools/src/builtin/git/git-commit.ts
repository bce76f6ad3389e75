import { aliasesOf } from '../../builtin-aliases.ts'
import { failed } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import { quotePath } from '../../guard/paths/index.ts'
import { countOf } from '../files/work-files.ts'
import { type GitToolPorts, gitCommon, inRepository, pathSchema, tryRepository } from './git-common.ts'
import { makeCommit, nothingStaged } from './make-commit.ts'
import type { Repository } from './repository.ts'
import { runTests, testMs } from './run-tests.ts'
import { isSameStaged, readStaged, type StagedChanges } from './staged-changes.ts'

/** Files on the card; the rest is counted. */
const shownFiles = 50
/** Milliseconds to look at what is staged, while the call waits to be decided. */
const planMs = 9_000

export function createGitCommitTool(ports: GitToolPorts) {
  return defineTool({
    ...gitCommon,
    name: 'git.commit',
    title: 'Git commit',
    description:
      'Commits to a git repository: the given files, which are staged first, and nothing else; without files, what is ' +
      'staged. Hooks and filters of the repository are not run.',
    effect: 'write',
    hook: 'confirm',
    timeoutMs: testMs + 180_000,
    aliases: aliasesOf('git.commit'),
    configSchema: {
      type: 'object',
      properties: {
        require_tests: { type: 'boolean', description: 'Commit only when the tests pass' },
        test_command: { type: 'string', minLength: 1, description: 'The tests, as a shell line: npm test' },
        author_name: { type: 'string', minLength: 1, description: 'Whose commits they are, by name' },
        author_email: { type: 'string', minLength: 3, description: 'Whose commits they are, by address' },
      },
      additionalProperties: false,
    },
    inputSchema: {
      type: 'object',
      properties: {
        message: { type: 'string', minLength: 1, maxLength: 20_000, description: 'The commit message' },
        files: {
          type: 'array',
          minItems: 1,
          maxItems: 500,
          items: { type: 'string', minLength: 1 },
          description: 'Files to stage and commit, from the folder of the repository; without them, what is staged',
        },
        path: pathSchema,
        staged: {
          type: 'object',
          description: 'Filled in by the system: what is staged, where no files are given. Leave it out.',
          properties: {
            files: {
              type: 'array',
              description: 'The files, as far as they are named',
              items: {
                type: 'object',
                description: 'One file',
                properties: {
                  path: { type: 'string', description: 'Its path in the repository' },
                  change: { type: 'string', description: 'What became of it' },
                },
                required: ['path', 'change'],
                additionalProperties: false,
              },
            },
            total: { type: 'integer', description: 'How many files there are' },
            digest: { type: 'string', description: 'Of all of them with their contents (SHA-256)' },
          },
          required: ['files', 'total', 'digest'],
          additionalProperties: false,
        },
      },
      required: ['message'],
      additionalProperties: false,
    },
    async complete({ staged: planned, ...args }, caller) {
      const problem = problemOf(args.message, caller.config)
      if (problem !== null) return { ok: false, problem }
      if (args.files) return { ok: true, arguments: args }
      const looked = await tryRepository(ports, args.path, caller, AbortSignal.timeout(planMs), readStaged)
      if (!looked.ok) return looked
      const staged = looked.result
      if (planned && !isSameStaged(planned, staged)) return { ok: false, problem: changedSince }
      if (staged.total === 0) return { ok: false, problem: nothingStaged }
      return { ok: true, arguments: { ...args, staged } }
    },
    summarize: ({ message, files, staged }) => ({
      title: files
        ? `Commit ${countOf(files.length, 'file')}`
        : `Commit what is staged${staged ? `: ${countOf(staged.total, 'file')}` : ''}`,
      facts: [
        { label: 'Message', value: message },
        ...(files ? [{ label: 'Files', value: files.map(quotePath).join('\n') }] : []),
        ...(!files && staged ? [{ label: 'Staged', value: renderStaged(staged) }] : []),
      ],
    }),
    execute: async ({ message, files, path, staged }, context) => {
      const problem = problemOf(message, context.config)
      if (problem !== null) return failed(problem)
      const { require_tests, test_command } = context.config
      return inRepository(ports, path, context, async (repository, work) => {
        const filtered = files ? await filteredOf(repository, files) : []
        if (filtered.length > 0)
          return failed(
            `${filtered.map(quotePath).join(', ')} is kept through a filter (such as Git LFS), which is not run here. ` +
              'Commit it with shell.exec.',
          )
        if (require_tests === true) {
          context.progress(`Running the tests: ${test_command}`)
          const where = { root: work.path, cwd: repository.folder }
          const tests = await runTests(ports.sandbox, String(test_command), where, context.signal)
          if (!tests.passed)
            return failed(`The tests (${test_command}) ${tests.how}, so nothing was committed. Make them pass first.`, {
              output: tests.tail,
            })
        }
        // After the tests, which may have staged something. What a person saw is what is committed, or nothing is.
        if (!files && staged && !isSameStaged(staged, await readStaged(repository))) return failed(changedSince)
        return makeCommit(repository, message, files, context.config)
      })
    },
  })
}

const changedSince =
  'What is staged has changed since this call was planned. Nothing was committed; look at git.status and call it again.'

function problemOf(message: string, config: Readonly<Record<string, unknown>>): string | null {
  if (message.trim() === '' || message.includes('\0')) return 'The message is empty, or not a text.'
  if (config.require_tests === true && typeof config.test_command !== 'string')
    return 'Tests are required before a commit, but test_command does not say which. Ask an administrator.'
  return null
}

function renderStaged({ files, total }: StagedChanges): string {
  const lines = files.slice(0, shownFiles).map(({ path, change }) => `${change} ${quotePath(path)}`)
  return [...lines, ...(total > lines.length ? [`… and ${total - lines.length} more`] : [])].join('\n')
}

/** Files that would be stored as they are, though the repository wants them through a program. */
async function filteredOf(repository: Repository, files: readonly string[]): Promise<string[]> {
  const ended = await repository.run(['check-attr', '-z', 'filter', '--', ...files])
  const fields = ended.stdout.split('\0')
  const filtered: string[] = []
  for (let at = 0; at + 2 < fields.length; at += 3)
    if (!['unspecified', 'unset'].includes(fields[at + 2]!)) filtered.push(fields[at]!)
  return filtered
}
