import { roles } from '@quartermaster/db'
import { password } from '../people.ts'
import type { AreaUnderTest } from './area.ts'

const account = { needs: 'viewer', page: '/settings/account' } as const
const workspace = { needs: 'admin', page: '/settings/workspace' } as const

export default {
  pages: {
    '/settings': 'viewer',
    '/settings/account': 'viewer',
    '/settings/appearance': 'viewer',
    '/settings/workspace': 'admin',
    '/settings/installation': 'admin',
  },
  actions: {
    saveOwnName: { ...account, form: ({ role }) => ({ name: `New name of ${role}` }) },
    changePassword: {
      ...account,
      form: () => ({ currentPassword: password, newPassword: password, repeatedPassword: password }),
    },
    revokeBrowser: { ...account, form: () => ({ sessionId: 'none' }) },
    getLinkCode: { ...account, form: () => ({}) },
    unlinkAccount: { ...account, form: () => ({ identityId: 'none' }) },
    saveName: { ...workspace, form: ({ role }) => ({ name: `Named by ${role}` }) },
    saveChoices: {
      ...workspace,
      form: ({ role }) => ({ timezone: 'Asia/Tokyo', questionExpiryHours: String(100 + roles.indexOf(role)) }),
    },
  },
} satisfies AreaUnderTest
