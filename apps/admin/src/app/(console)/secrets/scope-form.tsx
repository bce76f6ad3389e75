'use client'

import { ActionForm } from '../../../components/action-form.tsx'
import { Field, fieldProps } from '../../../components/field.tsx'
import { Input } from '../../../components/input.tsx'
import { addScope } from './actions.ts'

export function ScopeForm() {
  return (
    <ActionForm action={addScope} submit="Make scope" working="Making…" inline>
      {(mistakes) => (
        <>
          <div className="min-w-0 sm:w-48">
            <Field id="scope-name" label="Scope" mistake={mistakes.name}>
              <Input
                {...fieldProps('scope-name', mistakes.name)}
                name="name"
                placeholder="github"
                required
                maxLength={128}
                autoComplete="off"
                spellCheck={false}
                className="font-mono"
              />
            </Field>
          </div>
          <div className="min-w-0 flex-1">
            <Field id="scope-description" label="What it opens" mistake={mistakes.description}>
              <Input
                {...fieldProps('scope-description', mistakes.description)}
                name="description"
                placeholder="Repositories of the team, read and write."
                maxLength={300}
                autoComplete="off"
              />
            </Field>
          </div>
        </>
      )}
    </ActionForm>
  )
}
