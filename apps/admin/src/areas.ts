import type { Role } from '@quartermaster/db'
import {
  Bot,
  Cable,
  Folder,
  Gauge,
  History,
  Inbox,
  KeyRound,
  LockKeyhole,
  type LucideIcon,
  MessagesSquare,
  Scale,
  ScrollText,
  SlidersHorizontal,
  SquareTerminal,
  Users,
  Wrench,
} from 'lucide-react'

export interface Area {
  href: string
  label: string
  /** The heading it stands under in the navigation; the first group has none. */
  group: '' | 'Configure' | 'Work' | 'Workspace'
  icon: LucideIcon
  minimumRole: Role
  /** Other words that somebody may look for it by. */
  keywords: string[]
}

/** Every area of the console, in the order of the navigation. A new one is a line here and a folder in app/(console). */
export const areas: Area[] = [
  {
    href: '/overview',
    label: 'Overview',
    group: '',
    icon: Gauge,
    minimumRole: 'viewer',
    keywords: ['home', 'usage', 'cost', 'health', 'runs'],
  },
  {
    href: '/approvals',
    label: 'Approvals',
    group: '',
    icon: Inbox,
    minimumRole: 'viewer',
    keywords: ['questions', 'approve', 'deny', 'answer', 'confirm', 'inbox', 'history'],
  },
  {
    href: '/runs',
    label: 'Runs',
    group: '',
    icon: History,
    minimumRole: 'viewer',
    keywords: ['trace', 'waterfall', 'steps', 'fork', 'stop', 're-run', 'log', 'export'],
  },
  {
    href: '/executions',
    label: 'Executions',
    group: '',
    icon: SquareTerminal,
    minimumRole: 'viewer',
    keywords: ['tool calls', 'history', 'log', 'tail', 'export', 'csv'],
  },
  {
    href: '/playground',
    label: 'Playground',
    group: '',
    icon: MessagesSquare,
    minimumRole: 'member',
    keywords: ['chat', 'talk', 'try', 'session', 'agent', 'message'],
  },
  {
    href: '/agents',
    label: 'Agents',
    group: 'Configure',
    icon: Bot,
    minimumRole: 'viewer',
    keywords: [
      'model',
      'instructions',
      'prompt',
      'autonomy',
      'tools',
      'version',
      'draft',
      'publish',
      'roll back',
      'budget',
    ],
  },
  {
    href: '/tools',
    label: 'Tools',
    group: 'Configure',
    icon: Wrench,
    minimumRole: 'viewer',
    keywords: ['registry', 'schema', 'hook', 'try it', 'turn off', 'builtin', 'mcp', 'manifest'],
  },
  {
    href: '/policies',
    label: 'Policies',
    group: 'Configure',
    icon: Scale,
    minimumRole: 'viewer',
    keywords: ['rules', 'deny', 'profiles', 'what-if', 'draft'],
  },
  {
    href: '/secrets',
    label: 'Secrets',
    group: 'Configure',
    icon: LockKeyhole,
    minimumRole: 'admin',
    keywords: ['scopes', 'tokens', 'credentials', 'grant', 'rotate', 'expire'],
  },
  {
    href: '/files',
    label: 'Files',
    group: 'Work',
    icon: Folder,
    minimumRole: 'member',
    keywords: ['folder', 'work folder', 'virtual', 'download', 'edit', 'attachments'],
  },
  {
    href: '/channels',
    label: 'Channels',
    group: 'Workspace',
    icon: Cable,
    minimumRole: 'admin',
    keywords: ['slack', 'telegram', 'connect', 'binding', 'allow-list', 'test message'],
  },
  {
    href: '/members',
    label: 'Members',
    group: 'Workspace',
    icon: Users,
    minimumRole: 'viewer',
    keywords: ['people', 'invite', 'roles', 'owner', 'sessions', 'disable', 'linked'],
  },
  {
    href: '/api-keys',
    label: 'API keys',
    group: 'Workspace',
    icon: KeyRound,
    minimumRole: 'viewer',
    keywords: ['token', 'rest', 'program', 'curl', 'revoke', 'scopes'],
  },
  {
    href: '/audit',
    label: 'Audit',
    group: 'Workspace',
    icon: ScrollText,
    minimumRole: 'admin',
    keywords: ['log', 'history', 'events', 'verify', 'export', 'chain'],
  },
  {
    href: '/settings',
    label: 'Settings',
    group: 'Workspace',
    icon: SlidersHorizontal,
    minimumRole: 'viewer',
    keywords: ['account', 'link', 'password', 'time zone', 'theme', 'installation', 'sessions', 'prices'],
  },
]
