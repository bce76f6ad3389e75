'use client'

import { ActionForm } from '../../../../components/action-form.tsx'
import { Field, fieldProps } from '../../../../components/field.tsx'
import { Input } from '../../../../components/input.tsx'
import { saveOwnProfile } from '../edit-actions.ts'
import { useClose } from '../edit-toggle.tsx'
import { PatternField } from '../pattern-field.tsx'

interface ProfileFormProps {
  seen: string
  /** Null: a new one. */
  profile: { name: string; description: string; tools: string[]; reads: string[] } | null
}

export function ProfileForm({ seen, profile }: ProfileFormProps) {
  const id = `profile-${profile?.name ?? 'new'}`
  return (
    <ActionForm action={saveOwnProfile} submit="Save to the draft" onDone={useClose()}>
      {(mistakes) => (
        <>
          <input type="hidden" name="seen" value={seen} />
          {profile ? (
            <input type="hidden" name="name" value={profile.name} />
          ) : (
            <>
              <input type="hidden" name="isNew" value="yes" />
              <Field id={`${id}-name`} label="Name" mistake={mistakes.name}>
                <Input {...fieldProps(`${id}-name`, mistakes.name)} name="name" maxLength={80} autoComplete="off" />
              </Field>
            </>
          )}
          <Field id={`${id}-description`} label="What it is for" mistake={mistakes.description}>
            <Input
              {...fieldProps(`${id}-description`, mistakes.description)}
              name="description"
              defaultValue={profile?.description}
              maxLength={1_000}
              autoComplete="off"
            />
          </Field>
          <PatternField
            id={`${id}-tools`}
            name="tools"
            label="Tools"
            value={profile?.tools ?? []}
            mistake={mistakes.tools}
          />
          <PatternField
            id={`${id}-reads`}
            name="reads"
            label="To read only"
            value={profile?.reads ?? []}
            mistake={mistakes.reads}
          />
        </>
      )}
    </ActionForm>
  )
}
