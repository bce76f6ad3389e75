import type { SeenAgent } from '@quartermaster/db'
import { z } from 'zod'

/** What a page showed of an agent, as a form sends it back: the version's number and the time of the draft. */
export const writeSeen = ({ version, draftUpdatedAt }: SeenAgent): string =>
  `${version}~${draftUpdatedAt?.getTime() ?? ''}`

export const seenShape = z
  .string()
  .regex(/^\d{1,9}~\d{0,15}$/)
  .transform((text): SeenAgent => {
    const [version = '', time = ''] = text.split('~')
    return { version: Number(version), draftUpdatedAt: time ? new Date(Number(time)) : null }
  })
