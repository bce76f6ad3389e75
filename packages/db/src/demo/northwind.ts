// Northwind, an invented firm that makes software for parcel depots: its people, agents, tools and rules. All names
// are made up; addresses end in .example, which belongs to nobody.
import type { Role } from '../roles.ts'

export const workspace = { slug: 'northwind-demo', name: 'Northwind' }

export interface Person {
  name: string
  role: Role
  title: string
  /** How much of the asking comes from them. */
  weight: number
  platforms: ('slack' | 'telegram')[]
  disabled?: true
}

export const people: Person[] = [
  { name: 'Marta Okafor', role: 'owner', title: 'Head of engineering', weight: 3, platforms: ['slack'] },
  { name: 'Jonas Wieland', role: 'admin', title: 'Platform lead', weight: 9, platforms: ['slack', 'telegram'] },
  { name: 'Priya Raman', role: 'admin', title: 'Security', weight: 4, platforms: ['slack'] },
  { name: 'Tomasz Lis', role: 'approver', title: 'On-call engineer', weight: 12, platforms: ['slack', 'telegram'] },
  { name: 'Aiko Brandt', role: 'approver', title: 'Support lead', weight: 9, platforms: ['slack'] },
  { name: 'Samuel Adeyemi', role: 'member', title: 'Backend engineer', weight: 14, platforms: ['slack'] },
  { name: 'Lucía Ferreiro', role: 'member', title: 'Data analyst', weight: 10, platforms: ['slack'] },
  { name: 'Henrik Sund', role: 'member', title: 'Frontend engineer', weight: 11, platforms: ['slack', 'telegram'] },
  { name: 'Noor Haddad', role: 'member', title: 'Support engineer', weight: 13, platforms: ['slack', 'telegram'] },
  { name: 'Clara Voss', role: 'viewer', title: 'Finance', weight: 2, platforms: ['slack'] },
  {
    name: 'Ben Achterberg',
    role: 'member',
    title: 'Contractor until October',
    weight: 0,
    platforms: ['slack'],
    disabled: true,
  },
]

export type AgentSlug = 'harbor' | 'forge' | 'beacon' | 'ledger' | 'scout' | 'quill'

export interface AgentSeed {
  slug: AgentSlug
  name: string
  description: string
  model: 'fast' | 'balanced' | 'deep'
  profile: string
  autonomy: 'supervised' | 'standard' | 'autonomous'
  instructions: string
  tools: string[]
  /** Patterns beside its profile. */
  allow?: string[]
  scopes: string[]
  perDayUsd: number
  /** What was said when each version was published. */
  notes: string[]
  /** Of attached tools, by name. */
  configs?: Record<string, Record<string, unknown>>
  /** What somebody changed since, and has not published. */
  draft?: { instructions: string; deny: string[]; detach: string[] }
}

export const agents: AgentSeed[] = [
  {
    slug: 'harbor',
    name: 'Harbor',
    description: 'On-call companion: looks at the cluster, reads logs, proposes the next step.',
    model: 'balanced',
    profile: 'on-call',
    autonomy: 'supervised',
    instructions:
      'You help whoever is on call. Look before you act: pods, logs and recent deployments first. Say what you see, what you think it means and how sure you are. Anything that changes production is a proposal until somebody approves it.',
    tools: [
      'k8s.pods',
      'k8s.deployments',
      'k8s.logs',
      'shell.exec',
      'http.request',
      'memory.search',
      'memory.add',
      'rollout.restart',
      'pager.acknowledge',
      'ask_user',
      'mcp:metrics:query',
    ],
    scopes: ['cluster', 'pager'],
    perDayUsd: 25,
    notes: [
      'First version.',
      'Reads logs before proposing a restart.',
      'Asks who is affected before paging anybody.',
      'Metrics through the MCP server.',
    ],
    configs: { 'k8s.logs': { default_tail: 200 }, 'rollout.restart': { fixed_namespace: 'production' } },
    draft: {
      instructions: 'Write what you found into the incident’s thread before you propose a restart.',
      deny: ['http.request'],
      detach: ['memory.add'],
    },
  },
  {
    slug: 'forge',
    name: 'Forge',
    description: 'Works in the repositories: reads, edits, tests, opens pull requests.',
    model: 'deep',
    profile: 'coding',
    autonomy: 'standard',
    instructions:
      'You work in the repositories of Northwind. Read the code around a change before you change it, keep the style you find, run the tests, and explain a pull request in a few plain sentences. Never push to main.',
    tools: [
      'file.read',
      'file.write',
      'file.edit',
      'file.list',
      'file.grep',
      'shell.exec',
      'git.status',
      'git.diff',
      'git.commit',
      'mcp:github:search',
      'mcp:github:get_pull_request',
      'mcp:github:create_pull_request',
      'mcp:github:comment',
      'ask_user',
      'plan.task',
    ],
    allow: ['mcp:github:*', 'plan.task'],
    scopes: ['github'],
    perDayUsd: 60,
    notes: ['First version.', 'Runs the tests of the touched package only.', 'May comment on pull requests.'],
  },
  {
    slug: 'beacon',
    name: 'Beacon',
    description: 'Support: finds the history of a customer, drafts replies, files tickets.',
    model: 'balanced',
    profile: 'support',
    autonomy: 'standard',
    instructions:
      'You help the support team. Find what the customer wrote before and what we know about the cause. Draft replies in a warm and plain tone, without promises about dates. A reply leaves the house only after a person has read it.',
    tools: [
      'mcp:helpdesk:search',
      'mcp:helpdesk:get_ticket',
      'mcp:helpdesk:reply',
      'mcp:helpdesk:add_note',
      'email.search',
      'email.get',
      'memory.search',
      'web.fetch',
      'ask_user',
      'task.create',
      'shipment.lookup',
    ],
    scopes: ['helpdesk'],
    perDayUsd: 30,
    notes: ['First version.', 'Looks shipments up by itself.', 'Replies always ask first.'],
  },
  {
    slug: 'ledger',
    name: 'Ledger',
    description: 'Numbers: queries the warehouse, checks them, writes the weekly report.',
    model: 'balanced',
    profile: 'analysis',
    autonomy: 'autonomous',
    instructions:
      'You answer questions about numbers. Say which table a number comes from and from when it is. When two sources disagree, show both. Never guess a figure.',
    tools: [
      'warehouse.query',
      'warehouse.schema',
      'python.exec',
      'google.sheets',
      'vfs.read',
      'vfs.write',
      'vfs.list',
      'media.send',
      'memory.search',
    ],
    scopes: ['warehouse', 'google'],
    perDayUsd: 20,
    notes: ['First version.', 'Charts as images.'],
    configs: { 'warehouse.query': { default_limit: 500 } },
  },
  {
    slug: 'scout',
    name: 'Scout',
    description: 'Reads the web and sums up what it found, with sources.',
    model: 'fast',
    profile: 'messaging',
    autonomy: 'standard',
    instructions:
      'You research. Prefer primary sources, give the link for every claim, and say what you could not find.',
    tools: ['web.search', 'web.research', 'web.fetch', 'memory.search', 'memory.add', 'ask_user'],
    scopes: [],
    perDayUsd: 5,
    notes: ['First version.'],
  },
  {
    slug: 'quill',
    name: 'Quill',
    description: 'Keeps the team’s week: stand-up notes, reminders, meeting minutes.',
    model: 'fast',
    profile: 'messaging',
    autonomy: 'standard',
    instructions: 'You keep notes and dates. Be brief. Ask when a date or a name is not clear.',
    tools: [
      'task.create',
      'task.update',
      'task.list',
      'google.calendar',
      'google.docs',
      'memory.read',
      'memory.write',
      'ask_user',
      'system.info',
    ],
    allow: ['google.calendar', 'google.docs'],
    scopes: ['google'],
    perDayUsd: 5,
    notes: ['First version.', 'Minutes go to the shared folder.'],
  },
]

export interface ToolSeed {
  name: string
  category: string
  source: 'builtin' | 'manifest' | 'mcp'
  effect: 'read' | 'write' | 'execute' | 'send'
  description: string
  /** Argument names; one with ! is required. */
  args: string
  idempotent?: true
  /** What a new workspace does with it: `confirm` asks a person. */
  hook?: 'confirm' | 'log'
  /** A usual duration in milliseconds. */
  ms: number
}

const tool = (
  name: string,
  category: string,
  source: ToolSeed['source'],
  effect: ToolSeed['effect'],
  ms: number,
  args: string,
  description: string,
  hook?: ToolSeed['hook'],
): ToolSeed => ({
  name,
  category,
  source,
  effect,
  ms,
  args,
  description,
  ...(hook ? { hook } : {}),
  ...(effect === 'read' ? { idempotent: true as const } : {}),
})

export const tools: ToolSeed[] = [
  tool('file.read', 'filesystem', 'builtin', 'read', 12, 'path! offset limit', 'Reads a file of the working folder.'),
  tool(
    'file.write',
    'filesystem',
    'builtin',
    'write',
    18,
    'path! content!',
    'Writes a file, replacing what was there.',
    'log',
  ),
  tool(
    'file.edit',
    'filesystem',
    'builtin',
    'write',
    20,
    'path! old_string! new_string!',
    'Replaces a passage of a file.',
    'log',
  ),
  tool('file.list', 'filesystem', 'builtin', 'read', 9, 'path recursive', 'Lists a folder.'),
  tool('file.grep', 'filesystem', 'builtin', 'read', 85, 'pattern! glob output_mode', 'Searches files for a pattern.'),
  tool('vfs.read', 'filesystem', 'builtin', 'read', 6, 'path!', 'Reads a file of the conversation.'),
  tool('vfs.write', 'filesystem', 'builtin', 'write', 8, 'path! content!', 'Writes a file of the conversation.'),
  tool('vfs.list', 'filesystem', 'builtin', 'read', 5, 'path', 'Lists the files of the conversation.'),
  tool(
    'shell.exec',
    'runtime',
    'builtin',
    'execute',
    4200,
    'command! timeout_ms',
    'Runs a command in the sandbox.',
    'confirm',
  ),
  tool(
    'python.exec',
    'runtime',
    'builtin',
    'execute',
    310,
    'code!',
    'Runs a short Python program without network or files.',
  ),
  tool('git.status', 'git', 'builtin', 'read', 40, '', 'Shows what changed in the working folder.'),
  tool('git.diff', 'git', 'builtin', 'read', 55, 'staged', 'Shows the changes line by line.'),
  tool(
    'git.commit',
    'git',
    'builtin',
    'write',
    160,
    'message! files',
    'Commits files after the tests have passed.',
    'confirm',
  ),
  tool('web.fetch', 'web', 'builtin', 'read', 900, 'url!', 'Reads a web page.'),
  tool('web.search', 'web', 'builtin', 'read', 1100, 'query! count', 'Searches the web.'),
  tool('web.research', 'web', 'builtin', 'read', 2600, 'action! query url', 'Searches and reads pages.'),
  tool('http.request', 'web', 'builtin', 'send', 480, 'method! url! body', 'Sends an HTTP request.', 'confirm'),
  tool('memory.read', 'memory', 'builtin', 'read', 7, 'namespace! key', 'Reads what was noted.'),
  tool('memory.write', 'memory', 'builtin', 'write', 9, 'namespace! key! value!', 'Notes something.', 'log'),
  tool('memory.search', 'memory', 'builtin', 'read', 24, 'query! limit', 'Finds notes by meaning.'),
  tool('memory.add', 'memory', 'builtin', 'write', 15, 'text! type importance', 'Remembers a fact.', 'log'),
  tool('k8s.pods', 'cluster', 'builtin', 'read', 260, 'namespace! selector', 'Lists pods and their state.'),
  tool('k8s.deployments', 'cluster', 'builtin', 'read', 240, 'namespace!', 'Lists deployments and their readiness.'),
  tool(
    'k8s.logs',
    'cluster',
    'builtin',
    'read',
    520,
    'namespace! pod! container since tail',
    'Reads the end of a log.',
  ),
  tool('email.search', 'mail', 'builtin', 'read', 38, 'query! limit', 'Searches the support inbox.'),
  tool('email.get', 'mail', 'builtin', 'read', 11, 'id!', 'Reads one mail.'),
  tool(
    'google.sheets',
    'office',
    'builtin',
    'write',
    850,
    'action! spreadsheet! range values',
    'Reads and writes sheets.',
    'log',
  ),
  tool(
    'google.calendar',
    'office',
    'builtin',
    'write',
    620,
    'action! title start end attendees',
    'Reads and writes the calendar.',
    'confirm',
  ),
  tool('google.docs', 'office', 'builtin', 'write', 740, 'action! title content', 'Reads and writes documents.', 'log'),
  tool('media.send', 'media', 'builtin', 'send', 640, 'path! caption', 'Sends a file into the conversation.', 'log'),
  tool('ask_user', 'people', 'builtin', 'read', 5, 'question! options', 'Asks a person.'),
  tool('plan.task', 'people', 'builtin', 'read', 5, 'title! phases!', 'Proposes a plan and waits for a yes.'),
  tool('task.create', 'work', 'builtin', 'write', 14, 'title! due assignee', 'Creates a task.', 'log'),
  tool('task.update', 'work', 'builtin', 'write', 12, 'id! status due', 'Changes a task.', 'log'),
  tool('task.list', 'work', 'builtin', 'read', 10, 'filter', 'Lists tasks.'),
  tool('system.info', 'work', 'builtin', 'read', 4, '', 'Tells the time and the version.'),
  tool(
    'rollout.restart',
    'cluster',
    'manifest',
    'execute',
    5200,
    'namespace! deployment!',
    'Restarts a deployment one pod after the other.',
    'confirm',
  ),
  tool('pager.acknowledge', 'cluster', 'manifest', 'send', 410, 'incident! note', 'Acknowledges a page.', 'log'),
  tool('warehouse.query', 'data', 'manifest', 'read', 1900, 'sql! limit', 'Runs a read-only query in the warehouse.'),
  tool('warehouse.schema', 'data', 'manifest', 'read', 130, 'table', 'Shows tables and columns of the warehouse.'),
  tool('shipment.lookup', 'support', 'manifest', 'read', 210, 'tracking_number!', 'Shows where a parcel is and was.'),
  tool('mcp:helpdesk:search', 'support', 'mcp', 'read', 340, 'query! status', 'Searches tickets.'),
  tool('mcp:helpdesk:get_ticket', 'support', 'mcp', 'read', 180, 'id!', 'Reads a ticket with its history.'),
  tool(
    'mcp:helpdesk:add_note',
    'support',
    'mcp',
    'write',
    220,
    'id! text!',
    'Adds a note that customers do not see.',
    'log',
  ),
  tool('mcp:helpdesk:reply', 'support', 'mcp', 'send', 390, 'id! text!', 'Answers the customer.', 'confirm'),
  tool('mcp:github:search', 'code', 'mcp', 'read', 450, 'query!', 'Searches code, issues and pull requests.'),
  tool(
    'mcp:github:get_pull_request',
    'code',
    'mcp',
    'read',
    380,
    'repo! number!',
    'Reads a pull request with its checks.',
  ),
  tool(
    'mcp:github:create_pull_request',
    'code',
    'mcp',
    'send',
    930,
    'repo! title! body! branch!',
    'Opens a pull request.',
    'confirm',
  ),
  tool('mcp:github:comment', 'code', 'mcp', 'send', 410, 'repo! number! text!', 'Comments on a pull request.', 'log'),
  tool('mcp:metrics:query', 'cluster', 'mcp', 'read', 290, 'expression! range', 'Reads a time series.'),
]

export const profiles = [
  {
    name: 'on-call',
    description: 'Looks at the cluster; changes only what a person approved.',
    tools: ['group:production', 'mcp:metrics:*', 'shell.exec', 'http.request', 'group:memory', 'ask_user'],
    reads: [],
  },
  {
    name: 'support',
    description: 'Customers’ tickets and mail.',
    tools: ['mcp:helpdesk:*', 'email.*', 'shipment.*', 'group:memory', 'web.fetch', 'task.*', 'ask_user'],
    reads: ['google.calendar'],
  },
  {
    name: 'analysis',
    description: 'Reads the warehouse, writes reports.',
    tools: ['warehouse.*', 'python.exec', 'google.sheets', 'vfs.*', 'media.send', 'memory.search'],
    reads: [],
  },
]

export const groups = [
  {
    name: 'customer-facing',
    description: 'What a customer gets to see.',
    tools: ['mcp:helpdesk:reply', 'email.*', 'shipment.*'],
  },
  {
    name: 'production',
    description: 'The cluster, what runs on it, and who is paged.',
    tools: ['k8s.*', 'rollout.*', 'pager.*'],
  },
]

export interface RuleSeed {
  name: string
  pattern: string
  conditions: { path: string; glob: string }[]
  decision: 'allow' | 'ask' | 'deny'
  approvers?: { roles?: Role[]; notRequester?: boolean }
  note: string
}

export const rules: RuleSeed[] = [
  {
    name: 'Never force-push',
    pattern: 'shell.exec',
    conditions: [{ path: 'command', glob: '*push*--force*' }],
    decision: 'deny',
    note: 'History on shared branches stays.',
  },
  {
    name: 'Nothing deletes volumes',
    pattern: 'shell.exec',
    conditions: [{ path: 'command', glob: '*delete pvc*' }],
    decision: 'deny',
    note: 'After the incident of 3 September.',
  },
  {
    name: 'Tests and read-only commands run',
    pattern: 'shell.exec',
    conditions: [{ path: 'command', glob: 'npm test*' }],
    decision: 'allow',
    note: 'In the sandbox, without network.',
  },
  {
    name: 'Restarts in production need a second pair of eyes',
    pattern: 'rollout.restart',
    conditions: [{ path: 'namespace', glob: 'production' }],
    decision: 'ask',
    approvers: { roles: ['approver'], notRequester: true },
    note: 'Whoever asks for it does not approve it.',
  },
  {
    name: 'Replies to customers are read first',
    pattern: 'mcp:helpdesk:reply',
    conditions: [],
    decision: 'ask',
    approvers: { roles: ['approver'] },
    note: 'Support lead or above.',
  },
  {
    name: 'Pull requests ask',
    pattern: 'mcp:github:create_pull_request',
    conditions: [],
    decision: 'ask',
    approvers: { roles: ['member'] },
    note: 'Anybody of the team.',
  },
]

export const scopes = [
  {
    name: 'cluster',
    description: 'Read access to the clusters, restarts in production.',
    secrets: ['cluster.kubeconfig', 'cluster.metrics-token'],
  },
  { name: 'pager', description: 'Acknowledge pages.', secrets: ['pager.api-key'] },
  { name: 'github', description: 'Repositories of Northwind.', secrets: ['github.app-key', 'github.webhook-secret'] },
  { name: 'helpdesk', description: 'Tickets, notes and replies.', secrets: ['helpdesk.api-token'] },
  { name: 'warehouse', description: 'Read-only role of the warehouse.', secrets: ['warehouse.url'] },
  { name: 'google', description: 'Sheets, documents and the team calendar.', secrets: ['google.service-account'] },
]

export const places = {
  oncall: { channel: 'slack', id: 'C04ONCALL01', name: '#on-call', agent: 'harbor' },
  deploys: { channel: 'slack', id: 'C04DEPLOYS2', name: '#deploys', agent: 'harbor' },
  engineering: { channel: 'slack', id: 'C04ENGINEE3', name: '#engineering', agent: 'forge' },
  reviews: { channel: 'slack', id: 'C04REVIEWS4', name: '#reviews', agent: 'forge' },
  support: { channel: 'slack', id: 'C04SUPPORT5', name: '#support', agent: 'beacon' },
  numbers: { channel: 'slack', id: 'C04NUMBERS6', name: '#numbers', agent: 'ledger' },
  general: { channel: 'slack', id: 'C04GENERAL7', name: '#general', agent: 'quill' },
  phone: { channel: 'telegram', id: '-1002048817734', name: 'On the road', agent: 'harbor' },
  playground: { channel: 'web', id: 'web', name: 'Playground', agent: 'scout' },
} as const satisfies Record<
  string,
  { channel: 'slack' | 'telegram' | 'web'; id: string; name: string; agent: AgentSlug }
>

export type PlaceKey = keyof typeof places
