'use client'

import type { Role } from '@quartermaster/db'
import { useState } from 'react'
import { ActionForm } from '../../../../components/action-form.tsx'
import { Field, fieldProps } from '../../../../components/field.tsx'
import { Select } from '../../../../components/input.tsx'
import { roleAbout } from '../../../../describe-role.ts'
import { saveRole } from '../actions.ts'

interface RoleFormProps {
  memberId: string
  role: Role
  roles: { value: Role; label: string }[]
}

export function RoleForm({ memberId, role, roles }: RoleFormProps) {
  const [chosen, choose] = useState(role)
  return (
    <ActionForm action={saveRole} submit="Save role">
      {(mistakes) => (
        <>
          <input type="hidden" name="memberId" value={memberId} />
          <Field id="role" label="Role" hint={roleAbout[chosen]} mistake={mistakes.role}>
            <Select
              {...fieldProps('role', mistakes.role)}
              value={chosen}
              onChange={(event) => choose(event.target.value as Role)}
            >
              {roles.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          </Field>
        </>
      )}
    </ActionForm>
  )
}
