// "Did you mean": the names nearest to one that does not exist.

/** Names looked at; with more registered, the rest is not suggested. */
const mostCompared = 20_000

export function suggestNames(wanted: string, names: Iterable<string>, most = 3): string[] {
  const target = simplify(wanted)
  // More than a third of it wrong is another name, not a misspelt one.
  const allowed = Math.max(2, Math.floor(target.length / 3))
  const near: { name: string; distance: number }[] = []
  let compared = 0
  for (const name of names) {
    if (++compared > mostCompared) break
    const candidate = simplify(name)
    const contains = target.length >= 4 && candidate.includes(target)
    const distance = contains ? 1 : editDistance(target, candidate, allowed)
    if (distance <= allowed) near.push({ name, distance })
  }
  near.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
  return near.slice(0, most).map(({ name }) => name)
}

/** `readFile`, `read_file` and `read.file` are one spelling. */
const simplify = (name: string): string =>
  name
    .slice(0, 64)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')

/** Levenshtein's distance, or `allowed + 1` where it is more. */
function editDistance(a: string, b: string, allowed: number): number {
  if (Math.abs(a.length - b.length) > allowed) return allowed + 1
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      next.push(Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, (row[j - 1] as number) + same))
    }
    row = next
    if (Math.min(...row) > allowed) return allowed + 1
  }
  return row[b.length] as number
}
