// Two texts, line by line. Nothing of a difference is left out: somebody decides by what they see of it.

export interface DiffLine {
  sign: ' ' | '+' | '-'
  text: string
}

/** Pairs of lines that are compared at most, between what both texts begin and end with. */
const mostPairs = 400_000
/** Unchanged lines that are shown before and after a change. */
const around = 3

/** The longest common subsequence; where so much differs that it would take too long, all that goes and all that comes. */
export function compareLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let same = 0
  while (same < shorter - start && before.at(-1 - same) === after.at(-1 - same)) same++
  const old = before.slice(start, before.length - same)
  const fresh = after.slice(start, after.length - same)
  const unchanged = (lines: readonly string[]) => lines.map((text): DiffLine => ({ sign: ' ', text }))
  return [
    ...unchanged(before.slice(0, start)),
    ...(old.length * fresh.length > mostPairs
      ? [...old.map((text) => ({ sign: '-' as const, text })), ...fresh.map((text) => ({ sign: '+' as const, text }))]
      : compareAll(old, fresh)),
    ...unchanged(before.slice(before.length - same)),
  ]
}

function compareAll(before: readonly string[], after: readonly string[]): DiffLine[] {
  const width = after.length + 1
  const longest = new Uint32Array((before.length + 1) * width)
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      longest[i * width + j] =
        before[i] === after[j]
          ? (longest[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(longest[(i + 1) * width + j] ?? 0, longest[i * width + j + 1] ?? 0)
  const lines: DiffLine[] = []
  let i = 0
  let j = 0
  while (i < before.length || j < after.length) {
    const down = longest[(i + 1) * width + j] ?? 0
    const right = longest[i * width + j + 1] ?? 0
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ sign: ' ', text: before[i] ?? '' })
      i++
      j++
    } else if (i < before.length && (j >= after.length || down >= right))
      lines.push({ sign: '-', text: before[i++] ?? '' })
    else lines.push({ sign: '+', text: after[j++] ?? '' })
  }
  return lines
}

/** Only what changed and a little around it; how many unchanged lines are left out is said in their place. */
export function shortenLines(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = new Array<boolean>(lines.length).fill(false)
  for (const [index, { sign }] of lines.entries())
    if (sign !== ' ') isNear.fill(true, Math.max(0, index - around), index + around + 1)
  const shown: DiffLine[] = []
  let left = 0
  const sayLeft = () => {
    if (left) shown.push({ sign: ' ', text: `… ${left} unchanged ${left === 1 ? 'line' : 'lines'}` })
    left = 0
  }
  for (const [index, line] of lines.entries()) {
    if (!isNear[index]) {
      left++
      continue
    }
    sayLeft()
    shown.push(line)
  }
  sayLeft()
  return shown
}
