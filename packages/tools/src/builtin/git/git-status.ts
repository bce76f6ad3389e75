import { aliasesOf } from '../../builtin-aliases.ts'
import { failed, succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import { quotePath } from '../../guard/paths/index.ts'
import { type GitToolPorts, gitCommon, inRepository, pathSchema } from './git-common.ts'
import { type ChangedFile, parseStatus, type RepositoryStatus } from './parse-status.ts'
import { complaintOf } from './repository.ts'

/** Files of each sort that are named; the rest is counted. */
const namedFiles = 200

export function createGitStatusTool(ports: GitToolPorts) {
  return defineTool({
    ...gitCommon,
    name: 'git.status',
    title: 'Git status',
    description: 'Says the branch of a git repository, and which files are staged, modified and untracked.',
    effect: 'read',
    hook: 'silent',
    idempotent: true,
    aliases: aliasesOf('git.status'),
    inputSchema: { type: 'object', properties: { path: pathSchema }, additionalProperties: false },
    execute: async ({ path }, context) =>
      inRepository(ports, path, context, async (repository) => {
        const ended = await repository.run([
          ...['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=normal', '--ignore-submodules=dirty'],
        ])
        if (ended.isCut) return failed('Too many files have changed to list them. Give .gitignore what is not yours.')
        if (ended.exitCode !== 0) return failed(complaintOf(ended))
        const status = parseStatus(ended.stdout)
        return succeeded(renderStatus(status), { data: cutData(status) })
      }),
  })
}

function renderStatus(status: RepositoryStatus): string {
  const { branch, commit, upstream, ahead, behind, staged, modified, untracked, conflicts } = status
  const lines = [
    branch === null ? `At commit ${commit?.slice(0, 12)}, on no branch` : `On branch ${quotePath(branch)}`,
    ...(commit === null ? ['No commits yet'] : []),
    ...(upstream === null ? [] : [`${ahead} ahead of and ${behind} behind ${quotePath(upstream)}`]),
    ...section('Conflicts', conflicts.map(quotePath)),
    ...section('Staged', staged.map(lineOf)),
    ...section('Modified, not staged', modified.map(lineOf)),
    ...section('Untracked', untracked.map(quotePath)),
  ]
  const isClean = staged.length + modified.length + untracked.length + conflicts.length === 0
  return [...lines, ...(isClean ? ['Nothing to commit'] : [])].join('\n')
}

function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return []
  const rest = lines.length - namedFiles
  return [
    `${title}:`,
    ...lines.slice(0, namedFiles).map((line) => `  ${line}`),
    ...(rest > 0 ? [`  … ${rest} more`] : []),
  ]
}

const lineOf = ({ path, change, from }: ChangedFile) =>
  `${change} ${from === undefined ? '' : `${quotePath(from)} -> `}${quotePath(path)}`

const cutData = ({ staged, modified, untracked, conflicts, ...head }: RepositoryStatus) => ({
  ...head,
  staged: staged.slice(0, namedFiles),
  modified: modified.slice(0, namedFiles),
  untracked: untracked.slice(0, namedFiles),
  conflicts: conflicts.slice(0, namedFiles),
})
