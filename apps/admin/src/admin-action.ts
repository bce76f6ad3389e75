import type { Role } from '@quartermaster/db'
import { refresh } from 'next/cache'
import { headers } from 'next/headers'
import { forbidden, redirect, unstable_rethrow } from 'next/navigation'
import type { z } from 'zod'
import type { ActionResult } from './action-result.ts'
import { data } from './data.ts'
import { type CurrentMember, findCurrentMember, ownOrigin } from './session.ts'

interface AdminAction<Input> {
  needs: Role
  shape: z.ZodType<Input>
  /** Where the shape wants something other than the form's texts. */
  read?: (form: FormData) => unknown
  /**
   * Calls one named function of packages/db, which holds the change and its audit event in one transaction. Says what
   * was done, in a sentence for the toast, or why it was not.
   */
  work: (input: Input, current: CurrentMember) => Promise<string | ActionResult>
}

/**
 * The one way into every mutation of the console: session → origin → role → parse → work. It returns what a form can
 * show; what nobody foresaw is logged, and the person gets a sentence and no stack trace.
 */
export function adminAction<Input>(action: AdminAction<Input>) {
  return async (_previous: ActionResult | null, form: FormData): Promise<ActionResult> => {
    const current = await findCurrentMember()
    if (!current) redirect('/sign-in')
    // The door has looked at this already. A mutation does not rely on that.
    if ((await headers()).get('origin') !== (await ownOrigin())) forbidden()
    if (!data.atLeast(current.membership.role, action.needs))
      return { ok: false, message: `This needs the role ${action.needs}; yours is ${current.membership.role}.` }

    // Whoever calls an action by hand may send anything; what is no form is one without fields.
    const fields = form instanceof FormData ? form : new FormData()
    const parsed = action.shape.safeParse(action.read ? action.read(fields) : Object.fromEntries(fields))
    if (!parsed.success) return { ok: false, message: 'Some fields need another look.', fields: fieldsOf(parsed.error) }
    try {
      const result = await action.work(parsed.data, current)
      refresh()
      return typeof result === 'string' ? { ok: true, message: result } : result
    } catch (error) {
      unstable_rethrow(error)
      if (error instanceof data.Problem) return { ok: false, message: `${error.message} ${error.fix}` }
      console.error('console: an action failed:', error)
      return { ok: false, message: 'This did not work and nothing was changed. The console’s log says why.' }
    }
  }
}

function fieldsOf(error: z.ZodError): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const issue of error.issues) fields[String(issue.path[0])] ??= issue.message
  return fields
}
