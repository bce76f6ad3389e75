import { compareLines, shortenLines } from '../components/compare-lines.ts'

/** What a write would change, line by line. */
export function Diff({ path, before, after }: { path: string; before: string; after: string }) {
  const lines = shortenLines(compareLines(split(before), split(after)))
  return (
    <figure className="min-w-0 overflow-hidden rounded-md border border-line">
      <figcaption className="break-all border-line border-b bg-sunken px-2.5 py-1 font-mono text-2xs text-ink-2">
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

const split = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))
