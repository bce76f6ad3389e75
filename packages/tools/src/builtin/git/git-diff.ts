import { aliasesOf } from '../../builtin-aliases.ts'
import { failed, succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import { type GitToolPorts, gitCommon, inRepository, pathSchema } from './git-common.ts'
import { complaintOf } from './repository.ts'

/** Bytes of a diff; the rest is left out. */
const mostBytes = 96 * 1024

export function createGitDiffTool(ports: GitToolPorts) {
  return defineTool({
    ...gitCommon,
    name: 'git.diff',
    title: 'Git diff',
    description: 'Shows what has changed in a git repository and is not staged; with staged, what is.',
    effect: 'read',
    hook: 'silent',
    idempotent: true,
    aliases: aliasesOf('git.diff'),
    inputSchema: {
      type: 'object',
      properties: {
        staged: { type: 'boolean', default: false, description: 'The staged changes only (default false)' },
        path: pathSchema,
        files: {
          type: 'array',
          maxItems: 200,
          items: { type: 'string', minLength: 1 },
          description: 'Only these files or folders, from the folder of the repository',
        },
      },
      additionalProperties: false,
    },
    execute: async ({ staged, path, files = [] }, context) =>
      inRepository(ports, path, context, async (repository) => {
        const ended = await repository.run(
          [
            ...[
              'diff',
              '--no-ext-diff',
              '--no-textconv',
              '--no-color',
              '--submodule=short',
              '--ignore-submodules=dirty',
            ],
            ...(staged ? ['--cached'] : []),
            '--',
            ...files,
          ],
          { mostBytes },
        )
        if (ended.exitCode !== 0 && !ended.isCut) return failed(complaintOf(ended))
        const data = { staged, more: ended.isCut }
        if (ended.stdout === '')
          return succeeded(
            staged
              ? 'Nothing is staged.'
              : 'Nothing has changed that is not staged. New files are shown by git.status.',
            { data },
          )
        const note = ended.isCut ? '\n(There is more: give files to see the rest.)' : ''
        return succeeded(`${ended.stdout.trimEnd()}${note}`, { data })
      }),
  })
}
