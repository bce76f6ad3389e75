// The only wildcard for text: `*`. Pieces are looked for from left to right, so there is nothing to backtrack into.

/** `*` is any run of characters, also none; everything else is itself. Anchored at both ends. */
export function compileGlob(glob: string): (text: string) => boolean {
  const [first = '', ...rest] = glob.split('*')
  if (rest.length === 0) return (text) => text === first
  const last = rest.pop()!
  return (text) => {
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false
    let from = first.length
    const to = text.length - last.length
    for (const piece of rest) {
      const at = text.indexOf(piece, from)
      if (at < 0 || at + piece.length > to) return false
      from = at + piece.length
    }
    return true
  }
}
