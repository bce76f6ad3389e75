// What the five systems call the tools of TOOLS.md, so that a policy written for one of them means the same here.
//
// A tool carries its aliases too, with the argument mapping; this table is for patterns only. It is here so that a deny
// of `Bash` denies `shell.exec` even where the tool forgot to say that it is called that.

const table: readonly (readonly [canonical: string, ...aliases: string[]])[] = [
  ['file.read', 'read_file', 'Read'],
  ['file.write', 'write_file', 'Write'],
  ['file.edit', 'Edit'],
  ['file.glob', 'Glob'],
  ['file.grep', 'Grep'],
  ['file.batch', 'batch_files'],
  ['vfs.read', 'read_file'],
  ['vfs.write', 'write_file'],
  ['vfs.list', 'list_files'],
  ['shell.exec', 'bash', 'Bash'],
  ['python.exec', 'execute_python'],
  ['git.status', 'git_status'],
  ['git.diff', 'git_diff'],
  ['git.commit', 'git_commit'],
  ['http.request', 'http_request'],
  ['web.research', 'web_research'],
  ['api.setup', 'api_setup'],
  ['memory.read', 'memory_recall'],
  ['memory.write', 'memory_store'],
  ['memory.search', 'memory_search'],
  ['memory.add', 'memory_add'],
  ['memory.forget', 'memory_forget'],
  ['email.search', 'email_search'],
  ['email.get', 'email_get'],
  ['google.gmail', 'google_gmail'],
  ['google.sheets', 'google_sheets'],
  ['google.drive', 'google_drive'],
  ['google.calendar', 'google_calendar'],
  ['google.docs', 'google_docs'],
  ['agent.spawn', 'spawn_agent'],
  ['plan.task', 'plan_task'],
  ['pipeline.run', 'run_pipeline'],
  ['process.capture', 'capture_process'],
  ['process.promote', 'promote_process'],
  ['task.create', 'task_create'],
  ['task.update', 'task_update'],
  ['task.list', 'task_list'],
  ['tool.list', 'glee_tools_list'],
  ['tool.run', 'glee_tool'],
  ['tool.create', 'glee_tool_create'],
]

const byAlias = new Map<string, string[]>()
for (const [canonical, ...aliases] of table)
  for (const alias of aliases) byAlias.set(alias, [...(byAlias.get(alias) ?? []), canonical])

/** The canonical names an alias stands for: two for `read_file`, none for what is no alias. */
export const meantBy = (alias: string): readonly string[] => byAlias.get(alias) ?? []
