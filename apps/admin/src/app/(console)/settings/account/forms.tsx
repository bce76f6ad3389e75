'use client'

import { ActionForm } from '../../../../components/action-form.tsx'
import { Field, fieldProps } from '../../../../components/field.tsx'
import { Input } from '../../../../components/input.tsx'
import { changePassword, saveOwnName } from './actions.ts'

export function NameForm({ name }: { name: string }) {
  return (
    <ActionForm action={saveOwnName} submit="Save name">
      {(mistakes) => (
        <Field id="name" label="Your name" hint="As others see it, in every workspace." mistake={mistakes.name}>
          <Input
            {...fieldProps('name', mistakes.name)}
            defaultValue={name}
            key={name}
            required
            maxLength={80}
            autoComplete="name"
          />
        </Field>
      )}
    </ActionForm>
  )
}

export function PasswordForm({ email, min, max }: { email: string; min: number; max: number }) {
  return (
    <ActionForm action={changePassword} submit="Change password">
      {(mistakes) => (
        <>
          {/* For password managers, which otherwise do not know whose password this is. */}
          <input type="hidden" autoComplete="username" value={email} readOnly />
          <Field id="currentPassword" label="Current password" mistake={mistakes.currentPassword}>
            <Input
              {...fieldProps('currentPassword', mistakes.currentPassword)}
              type="password"
              autoComplete="current-password"
              required
              maxLength={1024}
            />
          </Field>
          <div className="grid gap-4 sm:grid-cols-2">
            <Field
              id="newPassword"
              label="New password"
              hint={`At least ${min} characters; a few unrelated words do well.`}
              mistake={mistakes.newPassword}
            >
              <Input
                {...fieldProps('newPassword', mistakes.newPassword)}
                type="password"
                autoComplete="new-password"
                required
                minLength={min}
                maxLength={max}
              />
            </Field>
            <Field id="repeatedPassword" label="New password again" mistake={mistakes.repeatedPassword}>
              <Input
                {...fieldProps('repeatedPassword', mistakes.repeatedPassword)}
                type="password"
                autoComplete="new-password"
                required
                maxLength={max}
              />
            </Field>
          </div>
        </>
      )}
    </ActionForm>
  )
}
