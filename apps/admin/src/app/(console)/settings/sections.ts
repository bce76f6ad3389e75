import type { Role } from '@quartermaster/db'

export interface Section {
  href: string
  label: string
  minimumRole: Role
}

export const sections: Section[] = [
  { href: '/settings/account', label: 'Your account', minimumRole: 'viewer' },
  { href: '/settings/appearance', label: 'Appearance', minimumRole: 'viewer' },
  { href: '/settings/workspace', label: 'Workspace', minimumRole: 'admin' },
  { href: '/settings/prices', label: 'Prices', minimumRole: 'admin' },
  { href: '/settings/installation', label: 'Installation', minimumRole: 'admin' },
]
