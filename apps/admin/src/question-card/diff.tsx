/** Lines that are compared at most; of longer texts the beginning is shown, and all of it is in the arguments. */
const mostLines = 400

/** What a write would change, line by line. */
export function Diff({ path, before, after }: { path: string; before: string; after: string }) {
  const lines = compare(split(before), split(after))
  return (
    <figure className="min-w-0 overflow-hidden rounded-md border border-line">
      <figcaption className="border-line border-b bg-sunken px-2.5 py-1 font-mono text-2xs text-ink-2">
        {path}
      </figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard (WCAG 2.1.1).
        tabIndex={0}
        className="max-h-72 overflow-auto py-1 font-mono text-xs focus-visible:-outline-offset-2"
      >
        {lines.map(({ sign, text }, index) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: lines repeat, and none moves.
            key={index}
            className={`block px-2.5 ${sign === '+' ? 'bg-ok-soft text-ok' : sign === '-' ? 'bg-bad-soft text-bad' : 'text-ink-2'}`}
          >
            {sign} {text}
          </span>
        ))}
      </pre>
    </figure>
  )
}

const split = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n').slice(0, mostLines))

interface Line {
  sign: ' ' | '+' | '-'
  text: string
}

/** The longest common subsequence, which is enough for the few hundred lines of a card. */
export function compare(before: string[], after: string[]): Line[] {
  const width = after.length + 1
  const longest = new Uint16Array((before.length + 1) * width)
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      longest[i * width + j] =
        before[i] === after[j]
          ? (longest[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(longest[(i + 1) * width + j] ?? 0, longest[i * width + j + 1] ?? 0)
  const lines: Line[] = []
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
