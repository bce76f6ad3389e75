'use client'

import type { Settings } from '@quartermaster/db'
import { ActionForm } from '../../../../components/action-form.tsx'
import { Field, fieldProps } from '../../../../components/field.tsx'
import { Input, Select } from '../../../../components/input.tsx'
import { saveChoices, saveName } from './actions.ts'

export function NameForm({ name }: { name: string }) {
  return (
    <ActionForm action={saveName} submit="Save name">
      {(mistakes) => (
        <Field id="name" label="Workspace name" mistake={mistakes.name}>
          <Input {...fieldProps('name', mistakes.name)} defaultValue={name} key={name} required maxLength={80} />
        </Field>
      )}
    </ActionForm>
  )
}

interface ChoicesFormProps {
  settings: Settings
  timezones: string[]
  /** What time it is in the stored zone, in a sentence. */
  now: string
}

export function ChoicesForm({ settings, timezones, now }: ChoicesFormProps) {
  return (
    <ActionForm action={saveChoices} submit="Save">
      {(mistakes) => (
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            id="timezone"
            label="Time zone"
            hint={`Days of filters and expiries begin in it; everybody reads dates in the zone of their browser. ${now}`}
            mistake={mistakes.timezone}
          >
            <Select
              {...fieldProps('timezone', mistakes.timezone)}
              defaultValue={settings.timezone}
              key={settings.timezone}
            >
              {timezones.map((zone) => (
                <option key={zone} value={zone}>
                  {zone.replaceAll('_', ' ')}
                </option>
              ))}
            </Select>
          </Field>
          <Field
            id="questionExpiryHours"
            label="Questions stay open for (hours)"
            hint="Then they count as denied, unless a tool or rule says otherwise."
            mistake={mistakes.questionExpiryHours}
          >
            <Input
              {...fieldProps('questionExpiryHours', mistakes.questionExpiryHours)}
              type="number"
              min={1}
              max={720}
              step={1}
              required
              defaultValue={settings.questionExpiryHours}
              key={settings.questionExpiryHours}
            />
          </Field>
        </div>
      )}
    </ActionForm>
  )
}
