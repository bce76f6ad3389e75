'use client'

import { LogIn } from 'lucide-react'
import { signIn } from 'next-auth/react'
import { type FormEvent, useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { classNames } from '../../components/class-names.ts'
import { Field } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import { describeRefusal } from './describe-refusal.ts'

interface SignInFormProps {
  /** Where to go afterwards; checked on the server. */
  next: string
  /** The name of the OpenID provider, where one is set up. */
  provider: string | null
  /** The code of a sign-in that came back refused. */
  error: string | null
}

export function SignInForm({ next, provider, error }: SignInFormProps) {
  const [refusal, setRefusal] = useState(error ? describeRefusal(error, provider) : null)
  const [busy, setBusy] = useState(false)
  // Sent before the scripts are there, the form would only come back empty.
  const [ready, setReady] = useState(false)
  useEffect(() => setReady(true), [])

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setBusy(true)
    const result = await signIn('credentials', {
      redirect: false,
      email: String(form.get('email') ?? ''),
      password: String(form.get('password') ?? ''),
    }).catch(() => undefined) // The server did not answer; `undefined` says so below.
    if (result?.ok && !result.error) return window.location.assign(next)
    setBusy(false)
    setRefusal(describeRefusal(result?.error ?? 'unreachable', provider))
  }

  return (
    <>
      <form onSubmit={submit} method="post" className="grid gap-4">
        <Field id="email" label="E-mail">
          <Input id="email" name="email" type="email" autoComplete="username" required autoFocus className="h-9" />
        </Field>
        <Field id="password" label="Password">
          <Input
            id="password"
            name="password"
            type="password"
            autoComplete="current-password"
            required
            maxLength={1024}
            className="h-9"
          />
        </Field>
        <p role="alert" className="text-bad text-sm empty:hidden">
          {refusal}
        </p>
        <Button
          type="submit"
          look="primary"
          size="large"
          disabled={busy || !ready}
          className={classNames('max-sm:h-11', !busy && 'disabled:opacity-100')}
        >
          {busy ? 'Signing in…' : 'Sign in'}
        </Button>
      </form>
      {provider && (
        <>
          <p className="my-4 flex items-center gap-3 text-ink-3 text-xs before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
            or
          </p>
          <Button size="large" className="w-full max-sm:h-11" onClick={() => signIn('oidc', { callbackUrl: next })}>
            <LogIn aria-hidden="true" /> Continue with {provider}
          </Button>
        </>
      )}
    </>
  )
}
