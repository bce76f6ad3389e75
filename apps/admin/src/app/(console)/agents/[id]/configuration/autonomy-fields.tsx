'use client'

import type { FieldsProps } from './configuration-form.tsx'

const choices = [
  {
    value: 'supervised',
    label: 'Supervised',
    about: 'A person approves everything but reading.',
  },
  {
    value: 'standard',
    label: 'Standard',
    about: 'Each tool asks, logs or just runs, as the policy’s hooks and rules say.',
  },
  {
    value: 'autonomous',
    label: 'Autonomous',
    about:
      'What a hook would ask about runs and is logged. What a rule asks or denies stays so, and what strangers wrote still makes it ask.',
  },
] as const

export function AutonomyFields({ fields, set }: FieldsProps) {
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 font-medium text-ink">Autonomy</legend>
      <div className="grid gap-2 sm:grid-cols-3">
        {choices.map(({ value, label, about }) => (
          <label
            key={value}
            className="flex items-start gap-2 rounded-md border border-line px-3 py-2 has-checked:border-accent has-checked:bg-accent-soft/40"
          >
            <input
              type="radio"
              name="autonomy"
              value={value}
              checked={fields.autonomy === value}
              onChange={() => set('autonomy', value)}
              className="mt-[3px] size-3.5 shrink-0 accent-accent"
            />
            <span>
              <span className="font-medium">{label}</span>
              <span className="block text-ink-2 text-xs">{about}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
