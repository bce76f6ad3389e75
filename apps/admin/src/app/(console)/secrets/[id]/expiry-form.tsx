'use client'

import { ActionForm } from '../../../../components/action-form.tsx'
import { Field, fieldProps } from '../../../../components/field.tsx'
import { Input } from '../../../../components/input.tsx'
import { saveExpiry } from '../actions.ts'

/** `day`: as `2027-01-31` in the workspace's zone, or empty. */
export function ExpiryForm({ secretId, day }: { secretId: string; day: string }) {
  return (
    <ActionForm action={saveExpiry} submit="Save date" inline>
      {(mistakes) => (
        <>
          <input type="hidden" name="secretId" value={secretId} />
          <div className="min-w-0 sm:w-56">
            <Field id="expires" label="Expires" hint="Empty: never." mistake={mistakes.expires}>
              <Input {...fieldProps('expires', mistakes.expires)} key={day} type="date" defaultValue={day} />
            </Field>
          </div>
        </>
      )}
    </ActionForm>
  )
}
