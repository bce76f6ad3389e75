// A text as it reads once an encoding is undone, and where each of its characters came from. None of these gives a
// view where there is nothing to undo.

export interface View {
  text: string
  /** The position in the original where the view's character at `index` begins. */
  start(index: number): number
  /** The position in the original where the view's text before `index` ends. */
  end(index: number): number
}

/** `%41` → `A`, `%C3%A9` → `é`; once as in paths, once as in forms, where `+` is a space. */
export function viewPercent(text: string): View[] {
  const views = text.includes('%') ? view(text, (at) => percentAt(text, at)) : []
  if (!text.includes('+')) return views
  const space = { length: 1, text: ' ' }
  return [...views, ...view(text, (at) => (text.charCodeAt(at) === 0x2b ? space : percentAt(text, at)))]
}

/** One character, of up to four bytes. */
function percentAt(text: string, at: number): { length: number; text: string } | null {
  if (text.charCodeAt(at) !== 0x25) return null
  const first = hexAt(text, at + 1, 2)
  if (first < 0) return null
  if (first < 0x80) return { length: 3, text: String.fromCharCode(first) }
  const bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  if (first < 0xc2 || first > 0xf4) return null
  let code = first & (0xff >> (bytes + 1))
  for (let index = 1; index < bytes; index++) {
    const next = text.charCodeAt(at + index * 3) === 0x25 ? hexAt(text, at + index * 3 + 1, 2) : -1
    if (next < 0x80 || next > 0xbf) return null
    code = code * 64 + (next & 0x3f)
  }
  return code > 0x10ffff ? null : { length: bytes * 3, text: String.fromCodePoint(code) }
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '"': '"', '\\': '\\', '/': '/' }

/** JSON's escapes undone: once, and once more for JSON within JSON. */
export function viewEscapes(text: string): View[] {
  const [once] = viewEscapesOnce(text)
  if (!once) return []
  const [twice] = viewEscapesOnce(once.text)
  if (!twice) return [once]
  const both: View = {
    text: twice.text,
    start: (index) => once.start(twice.start(index)),
    end: (index) => once.end(twice.end(index)),
  }
  return [once, both]
}

function viewEscapesOnce(text: string): View[] {
  if (!text.includes('\\')) return []
  return view(text, (at) => {
    if (text.charCodeAt(at) !== 0x5c) return null
    const next = text[at + 1]
    if (next === 'u') {
      const code = hexAt(text, at + 2, 4)
      return code < 0 ? null : { length: 6, text: String.fromCharCode(code) }
    }
    const plain = next === undefined ? undefined : escapes[next]
    return plain === undefined ? null : { length: 2, text: plain }
  })
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** HTML's entities undone: those by name that escaping makes, and every one by number. */
export function viewEntities(text: string): View[] {
  if (!text.includes('&')) return []
  return view(text, (at) => {
    if (text.charCodeAt(at) !== 0x26) return null
    const match = /^&(?:([a-z]{2,4})|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));/.exec(text.slice(at, at + 12))
    if (!match) return null
    const [whole, name, decimal, hex] = match
    if (name !== undefined)
      return Object.hasOwn(entities, name) ? { length: whole.length, text: entities[name] as string } : null
    const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal)
    return code > 0x10ffff ? null : { length: whole.length, text: String.fromCodePoint(code) }
  })
}

/** Without white space: base64 in lines of 76, a hex dump in columns. */
export function viewSqueezed(text: string): View[] {
  if (!/\s/.test(text)) return []
  return view(text, (at) => {
    const code = text.charCodeAt(at)
    return code === 0x20 || (code >= 0x09 && code <= 0x0d) ? { length: 1, text: '' } : null
  })
}

/**
 * `undo` says what stands at a position, or null where it stands for itself. Only the places where something was undone
 * are remembered, so that a long text with few escapes costs little.
 */
function view(original: string, undo: (at: number) => { length: number; text: string } | null): View[] {
  const viewAt: number[] = []
  const originalAt: number[] = []
  let text = ''
  let plainFrom = 0
  for (let at = 0; at < original.length; ) {
    const undone = undo(at)
    if (!undone) {
      at++
      continue
    }
    text += original.slice(plainFrom, at)
    viewAt.push(text.length)
    originalAt.push(at)
    text += undone.text
    at += undone.length
    plainFrom = at
    viewAt.push(text.length)
    originalAt.push(at)
  }
  if (viewAt.length === 0) return []
  text += original.slice(plainFrom)

  /** The original position of a view position; of several (nothing between them in the view) the last. */
  function locate(index: number): number {
    let low = 0
    let high = viewAt.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((viewAt[middle] as number) <= index) low = middle + 1
      else high = middle
    }
    if (low === 0) return index
    return (originalAt[low - 1] as number) + (index - (viewAt[low - 1] as number))
  }
  // The end of a run is where its last character ends, so that white space after it stays.
  return [{ text, start: locate, end: (index) => (index === 0 ? 0 : endOf(index)) }]

  function endOf(index: number): number {
    let low = 0
    let high = viewAt.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((viewAt[middle] as number) < index) low = middle + 1
      else high = middle
    }
    // A mark exactly at `index` that closes an undone spelling is its end; one that opens it is the end of plain text.
    if (low < viewAt.length && viewAt[low] === index) return originalAt[low] as number
    if (low === 0) return index
    return (originalAt[low - 1] as number) + (index - (viewAt[low - 1] as number))
  }
}

function hexAt(text: string, at: number, digits: number): number {
  let value = 0
  for (let index = at; index < at + digits; index++) {
    const code = text.charCodeAt(index)
    const digit =
      code >= 0x30 && code <= 0x39
        ? code - 0x30
        : code >= 0x41 && code <= 0x46
          ? code - 0x37
          : code >= 0x61 && code <= 0x66
            ? code - 0x57
            : -1
    if (digit < 0) return -1
    value = value * 16 + digit
  }
  return value
}
