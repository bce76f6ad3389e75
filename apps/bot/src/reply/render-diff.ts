// What a write would change, line by line, with a little of what stands around it.

/** Lines that are compared at most; of longer texts the beginning is shown, and all of it is behind "Show all". */
const mostLines = 400
/** Unchanged lines that are shown before and after a change. */
const around = 2

type Line = { sign: ' ' | '+' | '-'; text: string }

export function renderDiff({ before, after }: { before: string; after: string }): string {
  const [old, fresh] = [split(before), split(after)]
  const compared = compare(old.lines, fresh.lines)
  const near = new Set<number>()
  for (const [index, { sign }] of compared.entries())
    if (sign !== ' ') for (let other = index - around; other <= index + around; other++) near.add(other)
  const shown: string[] = []
  let skipped = false
  for (const [index, { sign, text }] of compared.entries()) {
    if (!near.has(index)) {
      skipped = true
      continue
    }
    if (skipped) shown.push('…')
    skipped = false
    shown.push(`${sign} ${text}`)
  }
  if (skipped || old.cut || fresh.cut) shown.push('…')
  return shown.join('\n')
}

function split(text: string): { lines: string[]; cut: boolean } {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n')
  return { lines: lines.slice(0, mostLines), cut: lines.length > mostLines }
}

/** By the longest common subsequence, which is enough for the few hundred lines of a card. */
function compare(before: readonly string[], after: readonly string[]): Line[] {
  const width = after.length + 1
  const common = new Uint16Array((before.length + 1) * width)
  for (let row = before.length - 1; row >= 0; row--)
    for (let column = after.length - 1; column >= 0; column--)
      common[row * width + column] =
        before[row] === after[column]
          ? (common[(row + 1) * width + column + 1] as number) + 1
          : Math.max(common[(row + 1) * width + column] as number, common[row * width + column + 1] as number)
  const lines: Line[] = []
  let [row, column] = [0, 0]
  while (row < before.length || column < after.length) {
    const [old, fresh] = [before[row], after[column]]
    if (old !== undefined && old === fresh) {
      lines.push({ sign: ' ', text: old })
      row++
      column++
    } else if (
      fresh === undefined ||
      (old !== undefined &&
        (common[(row + 1) * width + column] as number) >= (common[row * width + column + 1] as number))
    ) {
      lines.push({ sign: '-', text: old as string })
      row++
    } else {
      lines.push({ sign: '+', text: fresh })
      column++
    }
  }
  return lines
}
