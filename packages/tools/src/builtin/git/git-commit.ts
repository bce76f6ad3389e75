import { aliasesOf } from '../../builtin-aliases.ts'
import { failed, succeeded, type ToolResult } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import { quotePath } from '../../guard/paths/index.ts'
import { type GitToolPorts, gitCommon, inRepository, pathSchema } from './git-common.ts'
import { complaintOf, type Repository } from './repository.ts'
import { runTests, testMs } from './run-tests.ts'

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
      },
      required: ['message'],
      additionalProperties: false,
    },
    summarize: ({ message, files }) => ({
      title: files ? `Commit ${files.length === 1 ? '1 file' : `${files.length} files`}` : 'Commit what is staged',
      facts: [
        { label: 'Message', value: message },
        ...(files ? [{ label: 'Files', value: files.map(quotePath).join('\n') }] : []),
      ],
    }),
    execute: async ({ message, files, path }, context) => {
      if (message.trim() === '' || message.includes('\0')) return failed('The message is empty, or not a text.')
      const { require_tests, test_command } = context.config
      if (require_tests === true && typeof test_command !== 'string')
        return failed('Tests are required before a commit, but test_command does not say which. Ask an administrator.')
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
        return commit(repository, message, files, context.config)
      })
    },
  })
}

async function commit(
  repository: Repository,
  message: string,
  files: readonly string[] | undefined,
  config: Readonly<Record<string, unknown>>,
): Promise<ToolResult> {
  if (files) {
    // A deletion that is staged already cannot be added again: nothing of it is left to name.
    const deleted = await repository.run([
      ...['diff', '--cached', '--name-only', '-z', '--relative', '--no-renames', '--diff-filter=D', '--', ...files],
    ])
    const gone = new Set(deleted.stdout.split('\0'))
    const present = files.filter((file) => !gone.has(file))
    const added = present.length > 0 ? await repository.run(['add', '--', ...present], { writes: true }) : null
    if (added && added.exitCode !== 0) return failed(complaintOf(added))
  }
  const ended = await repository.run(
    [
      ...['commit', '--no-verify', '--no-gpg-sign', '--cleanup=whitespace', '--file=-'],
      ...(files ? ['--only', '--', ...files] : []),
    ],
    { writes: true, input: message, environment: identity(repository, config) },
  )
  if (ended.exitCode !== 0) {
    if (/nothing (?:added )?to commit|no changes added/.test(ended.stdout))
      return failed(
        files
          ? 'These files have not changed since the last commit: there is nothing to commit.'
          : 'Nothing is staged. Say which files to commit; git.status shows what has changed.',
      )
    return failed(complaintOf(ended))
  }
  const head = await repository.run(['rev-parse', 'HEAD'])
  return succeeded(ended.stdout.trim(), { data: { commit: head.stdout.trim() } })
}

/** The attachment's, else the repository's own, else ours. */
function identity(repository: Repository, config: Readonly<Record<string, unknown>>): Record<string, string> {
  const of = (wanted: unknown, own: string | undefined, other: string) =>
    typeof wanted === 'string' ? wanted : own?.trim() || other
  const name = of(config.author_name, repository.setting('user.name'), 'Quartermaster')
  const email = of(config.author_email, repository.setting('user.email'), 'agent@quartermaster.invalid')
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email }
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
