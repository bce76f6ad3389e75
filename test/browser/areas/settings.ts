import { roles } from '@quartermaster/db'
import type { AreaUnderTest } from '../area.ts'
import { password } from '../people.ts'

const account = { needs: 'viewer' } as const
const workspace = { needs: 'admin' } as const
const prices = { needs: 'admin' } as const

export default {
  pages: {
    '/settings': 'viewer',
    '/settings/account': 'viewer',
    '/settings/appearance': 'viewer',
    '/settings/workspace': 'admin',
    '/settings/prices': 'admin',
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
    savePrice: { ...prices, form: ({ role }) => ({ model: `model-of-${role}`, input: '1.5', output: '6' }) },
    removePrice: { ...prices, form: () => ({ model: 'none' }) },
  },
  looks: () => ['/settings/prices?model=claude-sonnet-5-5'],
} satisfies AreaUnderTest
