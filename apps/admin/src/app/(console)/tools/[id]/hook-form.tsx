'use client'

import { useState, useTransition } from 'react'
import { toast } from 'sonner'
import { Button } from '../../../../components/button.tsx'
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
  const [busy, start] = useTransition()
  const [mistake, setMistake] = useState<string>()
  // What is saved puts another form in the place of this one, so the toast cannot be left to an effect of it.
  const save = (form: FormData) =>
    start(async () => {
      const result = await setToolHook(null, form)
      setMistake(result.ok ? undefined : result.fields?.hook)
      toast[result.ok ? 'success' : 'error'](result.message)
    })
  return (
    <form action={save} className="grid gap-2 sm:flex sm:items-start">
      <div className="min-w-0 flex-1">
        <input type="hidden" name="toolId" value={toolId} />
        <input type="hidden" name="seen" value={seen} />
        <Field id="hook" label="In this workspace" mistake={mistake}>
          <Select {...fieldProps('hook', mistake)} defaultValue={hook}>
            <option value="default">As by default</option>
            {Object.entries(hookWords).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </Select>
        </Field>
      </div>
      <Button type="submit" disabled={busy} className="max-sm:h-10 sm:mt-6.5">
        {busy ? 'Saving…' : 'Save'}
      </Button>
    </form>
  )
}
