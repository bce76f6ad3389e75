/** What names the thing that a call is about, in the order in which it is looked for. */
export const telling = [
  'command',
  'path',
  'url',
  'query',
  'sql',
  'pattern',
  'name',
  'key',
  'id',
  'title',
  'question',
  'text',
]

/** A word or two of a call's arguments for a row of a list; the whole is one click away. */
export function shortArgument(given: unknown): string | null {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return null
  const values = given as Record<string, unknown>
  const name = telling.find((candidate) => typeof values[candidate] === 'string' && values[candidate] !== '')
  const first = name ? values[name] : Object.values(values).find((value) => typeof value === 'string' && value)
  if (typeof first !== 'string') return null
  const line = first.replace(/\s+/g, ' ').trim()
  return line.length > 60 ? `${line.slice(0, 59)}…` : line || null
}
