// The groups of `group:fs` and the like. A tool is in the groups it names itself and in those of this table, which
// names tools that are not built yet too: a policy may be written before the tool is there. Beside them a workspace has
// its own groups (`groups` of the policy), whose names are other ones than these.

const table: Readonly<Record<string, readonly string[]>> = {
  fs: ['file.*', 'vfs.*'],
  runtime: ['shell.*', 'process.start', 'process.status', 'process.kill', 'python.*'],
  git: ['git.*'],
  web: ['web.*', 'web_search', 'http.*', 'browser.*', 'api.setup'],
  browser: ['browser.*'],
  memory: ['memory.*'],
  minio: ['minio.*'],
  k8s: ['k8s.*'],
  email: ['email.*'],
  media: ['media.*', 'image.*', 'audio.*'],
  google: ['google.*', 'gmail.*', 'gcal.*', 'gdocs.*', 'gdrive.*', 'gsheets.*', 'gtasks.*'],
  gmail: ['google.gmail', 'gmail.*'],
  gcal: ['google.calendar', 'gcal.*'],
  gdocs: ['google.docs', 'gdocs.*'],
  gdrive: ['google.drive', 'gdrive.*'],
  gsheets: ['google.sheets', 'gsheets.*'],
  gtasks: ['google.tasks', 'gtasks.*'],
  cron: ['cron.*', 'task.*'],
  tasks: ['task.*'],
  people: ['ask_user', 'plan.task'],
  agents: ['agent.*', 'plan.*', 'pipeline.*', 'process.capture', 'process.promote'],
  sessions: ['sessions.*'],
  system: ['system.*'],
  tools: ['tool.*'],
  mcp: ['mcp:*'],
  // Only what says so itself. It stands here so that nobody's own group can be taken for it.
  manifest: [],
}

/** Group → the patterns of its members: names and prefixes, never groups. */
export const builtinGroups: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(table))
