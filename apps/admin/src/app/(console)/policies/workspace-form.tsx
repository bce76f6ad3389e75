'use client'

import type { Approval } from '@quartermaster/db'
import { useState } from 'react'
import { ActionForm } from '../../../components/action-form.tsx'
import { ApprovalFields } from './approval-fields.tsx'
import { saveWorkspaceLayer } from './edit-actions.ts'
import { PatternField } from './pattern-field.tsx'
import { ProfileSelect } from './profile-select.tsx'

interface WorkspaceFormProps {
  seen: string
  settings: { profile: string; allow: string[]; deny: string[]; approval: Approval }
  profiles: string[]
  members: { id: string; name: string }[]
}

export function WorkspaceForm({ seen, settings, profiles, members }: WorkspaceFormProps) {
  const [approval, setApproval] = useState(settings.approval)
  return (
    <ActionForm action={saveWorkspaceLayer} submit="Save to the draft">
      {(mistakes) => (
        <>
          <input type="hidden" name="seen" value={seen} />
          <input type="hidden" name="approval" value={JSON.stringify(approval)} />
          <div className="sm:max-w-72">
            <ProfileSelect
              id="workspace-profile"
              label="Profile"
              profiles={profiles}
              value={settings.profile}
              mistake={mistakes.profile}
            />
          </div>
          <PatternField id="allow" name="allow" label="Allow" value={settings.allow} mistake={mistakes.allow} />
          <PatternField id="deny" name="deny" label="Deny" value={settings.deny} mistake={mistakes.deny} />
          <details open={Boolean(mistakes.approval) || undefined}>
            <summary className="w-fit font-medium text-sm">Who answers questions, where nothing else says</summary>
            <div className="mt-3">
              <ApprovalFields
                value={approval}
                onChange={setApproval}
                inherited="As built in"
                members={members}
                mistake={mistakes.approval}
              />
            </div>
          </details>
        </>
      )}
    </ActionForm>
  )
}
