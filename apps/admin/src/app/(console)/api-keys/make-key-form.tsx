'use client'

import { useState } from 'react'
import type { ActionResult } from '../../../action-result.ts'
import { apiScopes } from '../../../api/scopes.ts'
import { ActionForm } from '../../../components/action-form.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { Field, fieldProps } from '../../../components/field.tsx'
import { Input, Select } from '../../../components/input.tsx'
import { ShownOnce } from '../../../components/shown-once.tsx'
import { makeApiKey } from './actions.ts'
import { lifetimes } from './lifetimes.ts'

export function MakeKeyForm() {
  const [made, show] = useState<Record<string, string> | null>(null)
  const make = async (previous: ActionResult | null, form: FormData) => {
    const result = await makeApiKey(previous, form)
    if (result.ok && result.once) show(result.once)
    return result
  }
  return (
    <>
      <ActionForm action={make} submit="Make key" working="Making…">
        {(mistakes) => (
          <>
            <div className="grid gap-4 sm:grid-cols-2">
              <Field id="name" label="Name" hint="For what uses it: “Nightly export”." mistake={mistakes.name}>
                <Input {...fieldProps('name', mistakes.name)} required maxLength={80} autoComplete="off" />
              </Field>
              <Field id="lifetime" label="Holds for" mistake={mistakes.lifetime}>
                <Select {...fieldProps('lifetime', mistakes.lifetime)} defaultValue="90">
                  {lifetimes.map(({ value, label }) => (
                    <option key={value} value={value}>
                      {label}
                    </option>
                  ))}
                </Select>
              </Field>
            </div>
            <fieldset aria-describedby="scopes-note">
              <legend className="mb-1.5 font-medium text-sm">Scopes</legend>
              <div className="grid gap-x-4 gap-y-1 sm:grid-cols-2">
                {apiScopes.map(({ name, label, about }) => (
                  <label
                    key={name}
                    className="flex cursor-pointer items-start gap-2 rounded-md px-2 py-1.5 hover:bg-sunken max-sm:min-h-11"
                  >
                    <input
                      type="checkbox"
                      name="scopes"
                      value={name}
                      aria-invalid={mistakes.scopes ? true : undefined}
                      className="mt-0.5 size-4 shrink-0 accent-accent"
                    />
                    <span className="min-w-0">
                      <span className="block font-medium text-sm">{label}</span>
                      <span className="block text-ink-3 text-xs">{about}</span>
                    </span>
                  </label>
                ))}
              </div>
              <p id="scopes-note" className="mt-1.5 text-bad text-xs empty:hidden">
                {mistakes.scopes}
              </p>
            </fieldset>
          </>
        )}
      </ActionForm>
      {made?.key && (
        <div className="px-4 pb-4">
          <ShownOnce label={`The key “${made.name}”`} text={made.key}>
            <p>Copy it now: it is stored as a hash and not shown again. Try it:</p>
            <div className="mt-1 flex items-start gap-1">
              <code className="min-w-0 flex-1 break-all font-mono text-2xs leading-5">{made.curl}</code>
              <CopyButton text={made.curl ?? ''} label="Copy the example" />
            </div>
          </ShownOnce>
        </div>
      )}
    </>
  )
}
