'use client'

import { LogIn } from 'lucide-react'
import { signIn } from 'next-auth/react'
import { useState } from 'react'
import type { ActionResult } from '../../../action-result.ts'
import { ActionForm } from '../../../components/action-form.tsx'
import { Button } from '../../../components/button.tsx'
import { Field, fieldProps } from '../../../components/field.tsx'
import { Input } from '../../../components/input.tsx'
import { chooseWorkspace } from '../../../shell/choose-workspace.ts'
import { acceptInvite } from './actions.ts'

interface AcceptFormProps {
  token: string
  email: string
  workspaceName: string
  /** `provider`: a login without a password. */
  login: 'none' | 'password' | 'provider'
  provider: string | null
  min: number
  max: number
}

/** Joins, signs in with what was just typed, and goes in. */
export function AcceptForm({ token, email, workspaceName, login, provider, min, max }: AcceptFormProps) {
  const [failed, fail] = useState(false)
  const accept = async (previous: ActionResult | null, form: FormData): Promise<ActionResult> => {
    const result = await acceptInvite(previous, form)
    if (!result.ok) return result
    const password = String(form.get('password') ?? '')
    const entered = await signIn('credentials', { redirect: false, email, password }).catch(() => undefined)
    if (entered?.ok && !entered.error) await chooseWorkspace(result.once?.workspaceId ?? '')
    else fail(true)
    return result
  }
  if (failed)
    return (
      <p role="alert" className="text-sm">
        You have joined {workspaceName}.{' '}
        <a href="/sign-in" className="text-accent-strong underline underline-offset-2">
          Sign in
        </a>{' '}
        to go on.
      </p>
    )
  return (
    <div className="grid gap-1">
      {login !== 'provider' && (
        <div className="-mx-4">
          <ActionForm action={accept} submit={`Join ${workspaceName}`} working="Joining…">
            {(mistakes) => (
              <>
                <input type="hidden" name="token" value={token} />
                <input type="hidden" autoComplete="username" value={email} readOnly />
                {login === 'none' && (
                  <Field id="name" label="Your name" hint="As others see it." mistake={mistakes.name}>
                    <Input {...fieldProps('name', mistakes.name)} required maxLength={80} autoComplete="name" />
                  </Field>
                )}
                <Field
                  id="password"
                  label={login === 'none' ? 'A password' : 'Your password'}
                  hint={
                    login === 'none'
                      ? `At least ${min} characters; a few unrelated words do well.`
                      : 'You sign in here already; this is the same password.'
                  }
                  mistake={mistakes.password}
                >
                  <Input
                    {...fieldProps('password', mistakes.password)}
                    type="password"
                    autoComplete={login === 'none' ? 'new-password' : 'current-password'}
                    required
                    maxLength={login === 'none' ? max : 1024}
                    {...(login === 'none' ? { minLength: min } : {})}
                  />
                </Field>
                {login === 'none' && (
                  <Field id="repeatedPassword" label="The password again" mistake={mistakes.repeatedPassword}>
                    <Input
                      {...fieldProps('repeatedPassword', mistakes.repeatedPassword)}
                      type="password"
                      autoComplete="new-password"
                      required
                      maxLength={max}
                    />
                  </Field>
                )}
              </>
            )}
          </ActionForm>
        </div>
      )}
      {provider && (
        <>
          {login !== 'provider' && <p className="text-ink-3 text-xs">Or, where {email} is known:</p>}
          <Button
            size="large"
            className="mt-2 w-full max-sm:h-11"
            onClick={() => signIn('oidc', { callbackUrl: '/overview' })}
          >
            <LogIn aria-hidden="true" /> Continue with {provider}
          </Button>
        </>
      )}
      {!provider && login === 'provider' && (
        <p className="text-sm">
          You sign in here through a provider that is not set up any more. Ask whoever runs this installation.
        </p>
      )}
    </div>
  )
}
