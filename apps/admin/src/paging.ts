// Where a page of a list begins: after the last row of the page before. It travels in an address as `<time>~<id>`.

export interface PageKey {
  at: Date
  id: string
}

export const writePageKey = ({ at, id }: PageKey) => `${at.toISOString()}~${id}`

/** What comes out of an address and is no key means the first page. */
export function parsePageKey(text: unknown): PageKey | null {
  if (typeof text !== 'string') return null
  const [time = '', id = ''] = text.split('~', 2)
  const at = new Date(time)
  return Number.isNaN(at.getTime()) || !/^[\w-]{1,64}$/.test(id) ? null : { at, id }
}

/** A page out of one row more than it shows: the row that is over says only that there is a next page. */
export function pageOf<Row>(
  rows: readonly Row[],
  size: number,
  keyOf: (row: Row) => PageKey,
): { rows: Row[]; next: string | null } {
  const shown = rows.slice(0, size)
  const last = shown.at(-1)
  return { rows: shown, next: rows.length > size && last ? writePageKey(keyOf(last)) : null }
}
