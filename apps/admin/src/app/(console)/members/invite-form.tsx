'use client'

import { useState } from 'react'
import type { ActionResult } from '../../../action-result.ts'
import { ActionForm } from '../../../components/action-form.tsx'
import { Field, fieldProps } from '../../../components/field.tsx'
import { Input, Select } from '../../../components/input.tsx'
import { roleAbout } from '../../../describe-role.ts'
import { inviteMember } from './actions.ts'
import { InviteLink } from './invite-link.tsx'

/** `roles`: those that this person may give. */
export function InviteForm({ roles }: { roles: { value: string; label: string }[] }) {
  const [link, show] = useState<{ link: string; email: string } | null>(null)
  const [role, choose] = useState('member')
  const invite = async (previous: ActionResult | null, form: FormData) => {
    const result = await inviteMember(previous, form)
    if (result.ok && result.once) show({ link: result.once.link ?? '', email: result.once.email ?? '' })
    return result
  }
  return (
    <div className="grid gap-3 px-4 pt-1 pb-4">
      <ActionForm action={invite} submit="Invite" working="Inviting…" inline>
        {(mistakes) => (
          <>
            <div className="min-w-0 flex-1 sm:max-w-80">
              <Field id="email" label="E-mail" mistake={mistakes.email}>
                <Input
                  {...fieldProps('email', mistakes.email)}
                  type="text"
                  inputMode="email"
                  placeholder="ada@example.com"
                  autoComplete="off"
                  required
                  maxLength={254}
                />
              </Field>
            </div>
            <div className="min-w-0 sm:w-72">
              <Field id="role" label="Role" hint={roleAbout[role as keyof typeof roleAbout]} mistake={mistakes.role}>
                <Select
                  {...fieldProps('role', mistakes.role)}
                  value={role}
                  onChange={(event) => choose(event.target.value)}
                >
                  {roles.map(({ value, label }) => (
                    <option key={value} value={value}>
                      {label}
                    </option>
                  ))}
                </Select>
              </Field>
            </div>
          </>
        )}
      </ActionForm>
      {link && <InviteLink {...link} />}
    </div>
  )
}
