'use server'

import type { AcceptResult } from '@quartermaster/db'
import { headers } from 'next/headers'
import { forbidden } from 'next/navigation'
import { z } from 'zod'
import type { ActionResult } from '../../../action-result.ts'
import { data } from '../../../data.ts'
import { runtime } from '../../../runtime.ts'
import { findCurrentMember, ownOrigin } from '../../../session.ts'

const shape = z.object({
  token: z.string().min(1).max(200),
  name: z.string().max(200).default(''),
  password: z.string().max(1024).default(''),
  repeatedPassword: z.string().max(1024).optional(),
})

type Fields = z.infer<typeof shape>

/** With a name and a new password, or with the password of the login that this e-mail has. */
export async function acceptInvite(_previous: ActionResult | null, form: FormData): Promise<ActionResult> {
  await requireOwnOrigin()
  const parsed = parse(form)
  if (!parsed) return notUnderstood
  const { token, name, password, repeatedPassword } = parsed
  const mistakes = repeatedPassword === undefined ? {} : mistakesOf(name, password, repeatedPassword)
  if (Object.keys(mistakes).length) return { ok: false, message: 'Some fields need another look.', fields: mistakes }
  const address = (await headers()).get('x-qm-address') ?? 'unknown'
  return await settle(() => data.acceptInvitation(runtime().db, { token, name, password, address }))
}

/** For somebody who is signed in with the e-mail that was invited. */
export async function joinWorkspace(_previous: ActionResult | null, form: FormData): Promise<ActionResult> {
  await requireOwnOrigin()
  const current = await findCurrentMember()
  if (!current) return { ok: false, message: 'You are signed out. Reload the page.' }
  const parsed = parse(form)
  if (!parsed) return notUnderstood
  const loginId = current.session.login.id
  return await settle(() => data.joinWithLogin(runtime().db, { token: parsed.token, loginId }))
}

const notUnderstood: ActionResult = { ok: false, message: 'This invitation was not understood. Open its link again.' }

async function requireOwnOrigin(): Promise<void> {
  // The door has looked at this already. A mutation does not rely on that.
  if ((await headers()).get('origin') !== (await ownOrigin())) forbidden()
}

function parse(form: FormData): Fields | null {
  return shape.safeParse(Object.fromEntries(form instanceof FormData ? form : new FormData())).data ?? null
}

function mistakesOf(name: string, password: string, repeated: string): Record<string, string> {
  const named = data.personNameShape.safeParse(name)
  const { min, max } = data.passwordLength
  return {
    ...(named.success ? {} : { name: named.error.issues[0]?.message ?? 'Expected a name.' }),
    ...(password.length < min ? { password: `Expected at least ${min} characters.` } : {}),
    ...(password.length > max ? { password: `Expected at most ${max} characters.` } : {}),
    ...(password === repeated ? {} : { repeatedPassword: 'The two are not the same.' }),
  }
}

async function settle(accept: () => Promise<AcceptResult>): Promise<ActionResult> {
  try {
    const result = await accept()
    if (!result.ok) return describe(result)
    // The cookie that chooses the workspace is not set here: the page would be made anew, and its link is used up.
    return { ok: true, message: 'Welcome.', once: { workspaceId: result.workspaceId } }
  } catch (error) {
    if (error instanceof data.Problem) return { ok: false, message: `${error.message} ${error.fix}` }
    console.error('console: an invitation could not be accepted:', error)
    return { ok: false, message: 'This did not work and nothing was changed. The console’s log says why.' }
  }
}

function describe(result: AcceptResult & { ok: false }): ActionResult {
  if (result.reason === 'wrong-password')
    return {
      ok: false,
      message: 'Not joined.',
      fields: { password: 'This is not the password of that e-mail here.' },
    }
  if (result.reason === 'too-many') {
    const minutes = Math.ceil(result.retryAfterSeconds / 60)
    return { ok: false, message: `Too many attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.` }
  }
  if (result.reason === 'other-login')
    return { ok: false, message: 'This invitation is for another e-mail than the one you are signed in with.' }
  return { ok: false, message: 'This link opens nothing any more. Ask whoever invited you for a new one.' }
}
