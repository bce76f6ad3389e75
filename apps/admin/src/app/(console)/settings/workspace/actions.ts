'use server'

import { z } from 'zod'
import { adminAction } from '../../../../admin-action.ts'
import { data } from '../../../../data.ts'
import { runtime } from '../../../../runtime.ts'

export const saveName = adminAction({
  needs: 'admin',
  shape: z.object({ name: data.workspaceNameShape }),
  work: async ({ name }, { membership, actor }) => {
    const saved = await data.renameWorkspace(runtime().db, membership.workspaceId, name, actor)
    return `The workspace is called ${saved}.`
  },
})

export const saveChoices = adminAction({
  needs: 'admin',
  shape: data.settingsShape,
  read: (form) => ({
    timezone: form.get('timezone'),
    questionExpiryHours: form.get('questionExpiryHours') ? Number(form.get('questionExpiryHours')) : undefined,
  }),
  work: async (settings, { membership, actor }) => {
    await data.writeSettings(runtime().db, membership.workspaceId, settings, actor)
    return 'Saved.'
  },
})
