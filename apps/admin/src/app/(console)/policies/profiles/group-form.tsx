'use client'

import { ActionForm } from '../../../../components/action-form.tsx'
import { Field, fieldProps } from '../../../../components/field.tsx'
import { Input } from '../../../../components/input.tsx'
import { saveOwnGroup } from '../edit-actions.ts'
import { useClose } from '../edit-toggle.tsx'
import { PatternField } from '../pattern-field.tsx'

interface GroupFormProps {
  seen: string
  /** Null: a new one. */
  group: { name: string; description: string; tools: string[] } | null
}

export function GroupForm({ seen, group }: GroupFormProps) {
  const id = `group-${group?.name ?? 'new'}`
  return (
    <ActionForm action={saveOwnGroup} submit="Save to the draft" onDone={useClose()}>
      {(mistakes) => (
        <>
          <input type="hidden" name="seen" value={seen} />
          {group ? (
            <input type="hidden" name="name" value={group.name} />
          ) : (
            <>
              <input type="hidden" name="isNew" value="yes" />
              <Field
                id={`${id}-name`}
                label="Name"
                hint="Patterns say it as group:name. Small letters, digits, - and _."
                mistake={mistakes.name}
              >
                <Input
                  {...fieldProps(`${id}-name`, mistakes.name)}
                  name="name"
                  maxLength={80}
                  autoComplete="off"
                  autoCapitalize="off"
                  spellCheck={false}
                  className="font-mono"
                />
              </Field>
            </>
          )}
          <Field id={`${id}-description`} label="What its tools have in common" mistake={mistakes.description}>
            <Input
              {...fieldProps(`${id}-description`, mistakes.description)}
              name="description"
              defaultValue={group?.description}
              maxLength={1_000}
              autoComplete="off"
            />
          </Field>
          <PatternField
            id={`${id}-tools`}
            name="tools"
            label="Tools"
            value={group?.tools ?? []}
            mistake={mistakes.tools}
          />
        </>
      )}
    </ActionForm>
  )
}
