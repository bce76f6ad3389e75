import type { Role } from '@quartermaster/db'
import { Cable, Gauge, Inbox, type LucideIcon, MessagesSquare, Scale, SlidersHorizontal } from 'lucide-react'

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
    href: '/playground',
    label: 'Playground',
    group: '',
    icon: MessagesSquare,
    minimumRole: 'member',
    keywords: ['chat', 'talk', 'try', 'session', 'agent', 'message'],
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
    href: '/channels',
    label: 'Channels',
    group: 'Configure',
    icon: Cable,
    minimumRole: 'admin',
    keywords: ['slack', 'telegram', 'connect', 'binding', 'allow-list', 'test message'],
  },
  {
    href: '/settings',
    label: 'Settings',
    group: 'Workspace',
    icon: SlidersHorizontal,
    minimumRole: 'viewer',
    keywords: ['account', 'link', 'password', 'time zone', 'theme', 'installation', 'sessions'],
  },
]
