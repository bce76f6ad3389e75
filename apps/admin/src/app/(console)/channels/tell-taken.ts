import type { PlaceTaken } from '@quartermaster/db'
import type { ActionResult } from '../../../action-result.ts'

/** A place is not taken from another agent unseen: it is told whose it is, and the form sends that back (`instead`). */
export const tellTaken = ({ answeredBy }: PlaceTaken): ActionResult => ({
  ok: false,
  message: 'Not bound yet.',
  fields: {
    place: `${answeredBy.name} answers there now. Bind once more to change that.`,
    instead: answeredBy.id,
  },
})
