import { failed, succeeded, type ToolResult } from '../../contract.ts'
import { complaintOf, type Repository } from './repository.ts'

export const nothingStaged = 'Nothing is staged. Say which files to commit; git.status shows what has changed.'

/** These files and nothing else; without files, what is staged. */
export async function makeCommit(
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
        files ? 'These files have not changed since the last commit: there is nothing to commit.' : nothingStaged,
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
