// The formats that are checked; any other is a note to the reader, as the specification says. Their expressions are
// Ajv's and backtrack, some in time quadratic in the length: so a string longer than `limits.formatLength` has no
// format, and the others spend by the square of their length.
import type { Format } from 'ajv'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { limits } from './limits.ts'
import type { Budget } from './linear-regexp.ts'

type Check = (text: string) => boolean

/** Base64 may be megabytes: a picture. */
const isBase64: Check = (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)

/** Ajv's own takes 300 ms for 8,000 characters, and refuses `http://localhost`. */
const isUrl: Check = (text) => /^(?:https?|ftp):\/\//i.test(text) && URL.canParse(text)

export function createFormats(budget: Budget): Record<string, Format> {
  const bounded = (check: Check): Check => {
    return (text) => {
      if (text.length > limits.formatLength) return false
      budget.spend(1 + (text.length * text.length) / 1_000)
      return check(text)
    }
  }
  const formats: Record<string, Format> = {}
  for (const [name, format] of Object.entries(fullFormats)) {
    const check = checkOf(format as Format)
    formats[name] = check === null ? (format as Format) : bounded(check)
  }
  return { ...formats, byte: isBase64, url: bounded(isUrl) }
}

/** The check of a format of strings; null for one of numbers, which is left as it is. */
function checkOf(format: Format): Check | null {
  if (format instanceof RegExp) return (text) => format.test(text)
  if (typeof format === 'function') return format as Check
  if (typeof format === 'object' && format.type !== 'number') return checkOf(format.validate as Format)
  return null
}
