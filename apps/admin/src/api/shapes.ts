// Shapes that several endpoints share, in the words of the iofold document: snake_case, ISO 8601, ids as they are.
import { z } from 'zod'
import { parsePageKey } from '../paging.ts'
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
export const dayQueryShape = z.iso.date('Expected a day, like 2026-11-18.').optional()
export const timeQueryShape = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .optional()

export const limitShape = z.coerce
  .number()
  .int()
  .min(1)
  .max(limits.mostPageRows)
  .default(limits.pageRows)
  .describe('Rows of a page.')

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
