// What Flynn, nodyn, Glee, Lynkr and iofold call the builtin tools, with their argument names. A builtin takes its
// aliases from here: `aliases: aliasesOf('file.read')`. The order of the tools is that of the tables they came from:
// where two tools claim one alias and an agent has both, it means the first.
import type { Alias } from './contract.ts'

type System = Alias['system']

const of =
  (system: System) =>
  (name: string, mapping: Pick<Alias, 'arguments' | 'defaults'> = {}): Alias => ({ name, system, ...mapping })

const nodyn = of('nodyn')
const lynkr = of('lynkr')
const iofold = of('iofold')
const glee = of('glee')

const filePath = { file_path: 'path' } as const

export const builtinAliases: ReadonlyMap<string, readonly Alias[]> = new Map(
  Object.entries({
    'file.read': [
      nodyn('read_file'),
      // Theirs numbers the lines, and stops at 2,000.
      lynkr('Read', { arguments: filePath, defaults: { line_numbers: true, limit: 2_000 } }),
    ],
    'file.write': [nodyn('write_file'), lynkr('Write', { arguments: filePath })],
    'file.edit': [lynkr('Edit', { arguments: { ...filePath, old_string: 'search', new_string: 'replace' } })],
    'file.glob': [lynkr('Glob')],
    'file.grep': [lynkr('Grep')],
    'file.batch': [nodyn('batch_files')],
    'vfs.read': [iofold('read_file')],
    'vfs.write': [iofold('write_file')],
    'vfs.list': [iofold('list_files', { defaults: { path: '/' } })],
    'shell.exec': [
      nodyn('bash', { arguments: { timeout_ms: 'timeout' } }),
      // Theirs stops at 1,000 lines.
      lynkr('Bash', { defaults: { max_lines: 1_000 } }),
    ],
    'python.exec': [iofold('execute_python')],
    'git.status': [lynkr('git_status')],
    'git.diff': [lynkr('git_diff')],
    'git.commit': [lynkr('git_commit')],
    'http.request': [nodyn('http_request')],
    'web.research': [nodyn('web_research')],
    'api.setup': [nodyn('api_setup')],
    'memory.read': [nodyn('memory_recall')],
    // Theirs appends, and skips what is there already.
    'memory.write': [nodyn('memory_store', { defaults: { mode: 'append' } })],
    // Theirs returns five.
    'memory.search': [lynkr('memory_search', { defaults: { limit: 5 } })],
    'memory.add': [lynkr('memory_add')],
    'memory.forget': [lynkr('memory_forget')],
    'email.search': [iofold('email_search')],
    'email.get': [iofold('email_get')],
    'google.gmail': [nodyn('google_gmail')],
    'google.sheets': [nodyn('google_sheets')],
    'google.drive': [nodyn('google_drive')],
    'google.calendar': [nodyn('google_calendar')],
    'google.docs': [nodyn('google_docs')],
    'agent.spawn': [nodyn('spawn_agent')],
    'plan.task': [nodyn('plan_task')],
    'pipeline.run': [nodyn('run_pipeline')],
    'process.capture': [nodyn('capture_process')],
    'process.promote': [nodyn('promote_process')],
    'task.create': [nodyn('task_create')],
    'task.update': [nodyn('task_update')],
    'task.list': [nodyn('task_list')],
    'tool.list': [glee('glee_tools_list')],
    'tool.run': [glee('glee_tool')],
    'tool.create': [glee('glee_tool_create')],
  } satisfies Record<string, readonly Alias[]>),
)

const ranks = new Map([...builtinAliases.keys()].map((name, rank) => [name, rank]))

export const aliasesOf = (canonical: string): readonly Alias[] => builtinAliases.get(canonical) ?? []

/** Who is meant first by a shared alias; tools that are not in the table come last, as they were registered. */
export const aliasRank = (canonical: string): number => ranks.get(canonical) ?? Number.POSITIVE_INFINITY
