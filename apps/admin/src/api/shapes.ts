// Shapes that several endpoints share, in the words of the iofold document: snake_case, ISO 8601, ids as they are.
import { z } from 'zod'
import { data } from '../data.ts'
import { startOfDay } from '../day-in-zone.ts'
import { parsePageKey } from '../paging.ts'
import { runtime } from '../runtime.ts'
import { ApiError } from './api-error.ts'
import { apiLimits as limits } from './limits.ts'

/** An id in an address; one that nothing has is 404, however it looks. */
export const idShape = z.string().min(1).max(300)

export const timeShape = z.iso.datetime().describe('ISO 8601, UTC.')

export const moneyShape = z.int().describe('Millionths of a US dollar.')

export const jsonShape = z.unknown().describe('Any JSON.')

export const namedShape = z.strictObject({ id: z.string(), name: z.string() })

/** Somebody or nobody, out of two columns. */
export const named = (id: string | null, name: string | null) => (id === null ? null : { id, name: name ?? id })

export const textShape = z.string().max(200)

/** A moment, or a day as the pages have it. */
export const momentShape = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], 'expected a time, as 2026-11-18T20:00:00Z, or a day.')
  .optional()

/** When the moment is, or the day begins in the workspace's zone; `later`: how many days after it. */
export const momentOf = (text: string | undefined, timezone: string, later = 0): Date | undefined =>
  text === undefined ? undefined : (startOfDay(text, timezone, later) ?? new Date(text))

/** The zone whose days are meant; not asked for where nobody names a day. */
export const zoneFor = async (workspaceId: string, ...moments: (string | undefined)[]): Promise<string> =>
  moments.some((text) => text?.length === 10) ? (await data.readSettings(runtime().db, workspaceId)).timezone : 'UTC'

/** In figures and nothing else: what only Number understands (0x10, 1e1) is no number of rows. */
export const rowsShape = z.preprocess(
  (text) => (typeof text === 'string' && /^[0-9]{1,9}$/.test(text) ? Number(text) : text),
  z.int(`expected a whole number from 1 to ${limits.mostPageRows}.`).min(1).max(limits.mostPageRows),
)

export const limitShape = rowsShape.default(limits.pageRows).describe('Rows of a page.')

const afterShape = z.string().max(200).optional().describe('The `next` of the page before.')

export const pageQuery = { limit: limitShape, after: afterShape } as const

export const nextShape = z.string().nullable().describe('What to send as `after` for the next page; null on the last.')

/** Where a page begins, by time and id; what no page has given out is told. */
export function readAfter(after: string | undefined): { at: Date; id: string } | null {
  if (after === undefined) return null
  const key = parsePageKey(after)
  if (!key) throw badAfter()
  return key
}

export const badAfter = () => new ApiError('VALIDATION_ERROR', 'after: expected the `next` of the page before.')

export { writePageKey as writeAfter } from '../paging.ts'

export const iso = (date: Date) => date.toISOString()
export const isoOrNull = (date: Date | null) => date?.toISOString() ?? null

export const notFound = (what: string) => new ApiError('NOT_FOUND', `There is no such ${what}.`)
