// The four built-in profiles, and what an agent has to which nothing was attached.
import type { Profile } from './policy-config.ts'

const minimal = [
  'file.read',
  'file.list',
  'file.glob',
  'file.grep',
  'vfs.read',
  'vfs.list',
  'web.fetch',
  'system.info',
] as const

const messaging = [
  ...minimal,
  'web.search',
  'web_search',
  'web.research',
  'group:memory',
  'ask_user',
  'task.*',
] as const

/** Connected accounts and mail: a profile lets them be read; to send with them, `allow` them. */
const connectedReads = [
  'group:gmail',
  'group:gcal',
  'group:gdocs',
  'group:gdrive',
  'group:gsheets',
  'group:gtasks',
  'group:email',
] as const

const coding = [...messaging, 'group:fs', 'group:runtime', 'group:git', 'browser.*'] as const

export const builtinProfiles: ReadonlyMap<string, Profile> = new Map<string, Profile>([
  ['minimal', { description: 'Reads files and pages, changes nothing', tools: minimal }],
  [
    'messaging',
    {
      description: 'Minimal, and search, memory, questions, tasks, reading connected accounts',
      tools: messaging,
      reads: connectedReads,
    },
  ],
  [
    'coding',
    {
      description: 'Messaging, and writing files, shell, processes, git, Python, the browser',
      tools: coding,
      reads: connectedReads,
    },
  ],
  ['full', { description: 'Every tool there is', tools: ['*'] }],
])

/**
 * An agent with no attachments has every tool but these: what belongs to somebody's account or cluster, what strangers
 * wrote, and what changes what agents can do. Those are attached by a person, or not there.
 */
export const notByDefault: readonly string[] = [
  'mcp:*',
  'group:manifest',
  'group:google',
  'group:minio',
  'group:k8s',
  'api.setup',
  'tool.create',
  'sessions.delete',
]
