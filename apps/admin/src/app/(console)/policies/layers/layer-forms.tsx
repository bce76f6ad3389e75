'use client'

import type { SkillPart } from '@quartermaster/db'
import { ActionForm } from '../../../../components/action-form.tsx'
import { Field, fieldProps } from '../../../../components/field.tsx'
import { Input, TextArea } from '../../../../components/input.tsx'
import { saveProviderLayer, saveSkillLayer } from '../edit-actions.ts'
import { useClose } from '../edit-toggle.tsx'
import { PatternField } from '../pattern-field.tsx'
import { ProfileSelect } from '../profile-select.tsx'

interface ProviderFormProps {
  seen: string
  /** Null: a new one. */
  name: string | null
  layer: { profile?: string | undefined; allow?: string[] | undefined; deny?: string[] | undefined }
  profiles: string[]
}

export function ProviderForm({ seen, name, layer, profiles }: ProviderFormProps) {
  const id = `provider-${name ?? 'new'}`
  return (
    <ActionForm action={saveProviderLayer} submit="Save to the draft" onDone={useClose()}>
      {(mistakes) => (
        <>
          <input type="hidden" name="seen" value={seen} />
          <Name id={id} name={name} label="Provider" hint="As agents name it: anthropic." mistake={mistakes.name} />
          <ProfileSelect
            id={`${id}-profile`}
            label="Profile"
            profiles={profiles}
            value={layer.profile ?? ''}
            none="None: starts from everything"
            mistake={mistakes.profile}
          />
          <PatternField
            id={`${id}-allow`}
            name="allow"
            label="Allow"
            value={layer.allow ?? []}
            mistake={mistakes.allow}
          />
          <PatternField id={`${id}-deny`} name="deny" label="Deny" value={layer.deny ?? []} mistake={mistakes.deny} />
        </>
      )}
    </ActionForm>
  )
}

export function SkillForm({ seen, skill }: { seen: string; skill: SkillPart | null }) {
  const id = `skill-${skill?.name ?? 'new'}`
  return (
    <ActionForm action={saveSkillLayer} submit="Save to the draft" onDone={useClose()}>
      {(mistakes) => (
        <>
          <input type="hidden" name="seen" value={seen} />
          {!skill && <input type="hidden" name="isNew" value="yes" />}
          <Name id={id} name={skill?.name ?? null} label="Name" mistake={mistakes.name} />
          <Field id={`${id}-description`} label="What it does" mistake={mistakes.description}>
            <Input
              {...fieldProps(`${id}-description`, mistakes.description)}
              name="description"
              defaultValue={skill?.description}
              maxLength={1_000}
              autoComplete="off"
            />
          </Field>
          <Field id={`${id}-instructions`} label="Instructions" mistake={mistakes.instructions}>
            <TextArea
              {...fieldProps(`${id}-instructions`, mistakes.instructions)}
              name="instructions"
              defaultValue={skill?.instructions}
              rows={4}
            />
          </Field>
          <PatternField
            id={`${id}-tools`}
            name="tools"
            label="Tools"
            value={skill?.tools ?? []}
            mistake={mistakes.tools}
          />
          <PatternField
            id={`${id}-groups`}
            name="toolGroups"
            label="Groups, where no tools are named"
            value={(skill?.toolGroups ?? []).map((group) => group.replace(/^(?!group:)/, 'group:'))}
            mistake={mistakes.toolGroups}
          />
        </>
      )}
    </ActionForm>
  )
}

interface NameProps {
  id: string
  name: string | null
  label: string
  hint?: string
  mistake?: string | undefined
}

/** What it is called is how it is found, so it is said once and stays. */
function Name({ id, name, label, hint, mistake }: NameProps) {
  if (name !== null) return <input type="hidden" name="name" value={name} />
  return (
    <Field id={`${id}-name`} label={label} hint={hint} mistake={mistake}>
      <Input {...fieldProps(`${id}-name`, mistake)} name="name" maxLength={80} autoComplete="off" spellCheck={false} />
    </Field>
  )
}
