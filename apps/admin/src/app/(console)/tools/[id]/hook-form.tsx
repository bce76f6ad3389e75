'use client'

import { ActionForm } from '../../../../components/action-form.tsx'
import { Field, fieldProps } from '../../../../components/field.tsx'
import { Select } from '../../../../components/input.tsx'
import { setToolHook } from '../actions.ts'
import { hookWords } from '../words.ts'

interface HookFormProps {
  toolId: string
  hook: 'default' | keyof typeof hookWords
  /** What was there when it was shown: an older choice never overwrites a newer one unseen. */
  seen: string
}

export function HookForm({ toolId, hook, seen }: HookFormProps) {
  return (
    <ActionForm action={setToolHook} submit="Save" inline>
      {(mistakes) => (
        <div className="min-w-0 flex-1">
          <input type="hidden" name="toolId" value={toolId} />
          <input type="hidden" name="seen" value={seen} />
          <Field id="hook" label="In this workspace" mistake={mistakes.hook}>
            <Select {...fieldProps('hook', mistakes.hook)} defaultValue={hook}>
              <option value="default">As by default</option>
              {Object.entries(hookWords).map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </Select>
          </Field>
        </div>
      )}
    </ActionForm>
  )
}
