import type { FoundInvitation } from '@quartermaster/db'
import type { Metadata } from 'next'
import Link from 'next/link'
import { Button } from '../../../components/button.tsx'
import { Mark } from '../../../components/mark.tsx'
import { data } from '../../../data.ts'
import { roleAbout } from '../../../describe-role.ts'
import { runtime } from '../../../runtime.ts'
import { findCurrentMember } from '../../../session.ts'
import { AcceptForm } from './accept-form.tsx'
import { JoinButton, LeaveButton } from './join-button.tsx'

export const metadata: Metadata = { title: 'Invitation' }

const over = {
  accepted: 'This invitation was accepted already',
  revoked: 'This invitation was taken back',
  expired: 'This invitation has expired',
  unknown: 'This link opens nothing',
}

/** Where the link of an invitation leads; for people who have no session here yet. */
export default async function InvitePage({ params }: { params: Promise<{ token: string }> }) {
  const token = (await params).token.slice(0, 200)
  const invitation = await data.findInvitation(runtime().db, token)
  if (invitation?.state !== 'open') return <Over state={invitation?.state ?? 'unknown'} />
  const { workspaceName, inviterName, email, role } = invitation
  return (
    <Frame title={`Join ${workspaceName}`}>
      <p className="mt-1 mb-5 text-ink-2">
        {inviterName} invites <span className="font-medium text-ink">{email}</span> as {role}.{' '}
        <span className="text-ink-3">{roleAbout[role]}</span>
      </p>
      <Way invitation={invitation} token={token} />
    </Frame>
  )
}

async function Way({ invitation, token }: { invitation: FoundInvitation; token: string }) {
  const { workspaceName, email, login } = invitation
  const current = await findCurrentMember()
  if (current?.session.login.email === email) return <JoinButton token={token} workspaceName={workspaceName} />
  if (current)
    return (
      <>
        <p className="mb-3 text-sm">
          You are signed in as {current.session.login.email}. To accept as {email}, sign out and open the link again.
        </p>
        <LeaveButton />
      </>
    )
  return (
    <AcceptForm
      token={token}
      email={email}
      workspaceName={workspaceName}
      login={login}
      provider={runtime().env.oidc?.name ?? null}
      min={data.passwordLength.min}
      max={data.passwordLength.max}
    />
  )
}

function Over({ state }: { state: keyof typeof over }) {
  return (
    <Frame title={over[state]}>
      <p className="mt-1 mb-5 text-ink-2">
        {state === 'accepted'
          ? 'If it was you, sign in. If not, tell whoever invited you: somebody else has used your link.'
          : 'Ask whoever invited you for a new link. A link works once, within seven days.'}
      </p>
      <Button asChild>
        <Link href="/sign-in">Go to the sign-in</Link>
      </Button>
    </Frame>
  )
}

function Frame({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <main className="grid min-h-dvh place-items-center px-5 py-10">
      <div className="w-full max-w-[360px]">
        <Mark className="mb-6 size-9" />
        <h1 className="break-words font-semibold text-2xl tracking-tight">{title}</h1>
        {children}
      </div>
    </main>
  )
}
