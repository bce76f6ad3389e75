'use client'

import { Field, fieldProps } from '../../../components/field.tsx'
import { Select } from '../../../components/input.tsx'

interface ProfileSelectProps {
  id: string
  label: string
  profiles: readonly string[]
  value: string
  /** What it says where none is chosen; without it, one has to be. */
  none?: string
  mistake?: string | undefined
}

export function ProfileSelect({ id, label, profiles, value, none, mistake }: ProfileSelectProps) {
  return (
    <Field id={id} label={label} mistake={mistake}>
      <Select {...fieldProps(id, mistake)} name="profile" defaultValue={value} key={value}>
        {none !== undefined && <option value="">{none}</option>}
        {profiles.map((profile) => (
          <option key={profile} value={profile}>
            {profile}
          </option>
        ))}
      </Select>
    </Field>
  )
}
