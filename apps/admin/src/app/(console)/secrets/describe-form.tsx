'use client'

import { ActionForm } from '../../../components/action-form.tsx'
import { Field, fieldProps } from '../../../components/field.tsx'
import { Input } from '../../../components/input.tsx'
import { saveScope } from './actions.ts'

export function DescribeForm({ scopeId, description }: { scopeId: string; description: string }) {
  const id = `description-${scopeId}`
  return (
    <ActionForm action={saveScope} submit="Save" inline>
      {(mistakes) => (
        <>
          <input type="hidden" name="scopeId" value={scopeId} />
          <div className="min-w-0 flex-1">
            <Field id={id} label="What it opens" mistake={mistakes.description}>
              <Input
                {...fieldProps(id, mistakes.description)}
                key={description}
                name="description"
                defaultValue={description}
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
