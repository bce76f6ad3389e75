import { ChevronRight } from 'lucide-react'
import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { Mark } from '../../components/mark.tsx'
import { runtime } from '../../runtime.ts'
import { safePath } from '../../safe-path.ts'
import { findCurrentMember } from '../../session.ts'
import { SignInForm } from './sign-in-form.tsx'

export const metadata: Metadata = { title: 'Sign in' }

export default async function SignInPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>
}) {
  const { next, callbackUrl, error } = await searchParams
  const target = safePath(next ?? callbackUrl)
  if (await findCurrentMember()) redirect(target)
  return (
    <main className="grid min-h-dvh place-items-center px-5 py-10">
      <div className="w-full max-w-[340px]">
        <Mark className="mb-6 size-9" />
        <h1 className="font-semibold text-2xl tracking-tight">Sign in to Quartermaster</h1>
        <p className="mt-1 mb-6 text-ink-2">The console of your team’s agents.</p>
        <SignInForm
          next={target}
          provider={runtime().env.oidc?.name ?? null}
          error={typeof error === 'string' ? error : null}
        />
        <details className="group mt-6 text-ink-3 text-xs">
          <summary className="flex w-fit list-none items-center gap-1 rounded hover:text-ink [&::-webkit-details-marker]:hidden">
            <ChevronRight aria-hidden="true" className="size-3.5 transition-transform group-open:rotate-90" />
            First time here, or password lost?
          </summary>
          <p className="mt-2 leading-5">
            The first start printed the owner’s e-mail and password in the terminal. Whoever runs this installation can
            make a new password with{' '}
            <code className="whitespace-nowrap rounded bg-sunken px-1 font-mono text-2xs text-ink-2">
              npm run reset:password -- you@example.com
            </code>
            .
          </p>
        </details>
      </div>
    </main>
  )
}
