import { classNames } from '../../../../components/class-names.ts'
import type { ChangeLine } from '../../../../policy/describe-changes.ts'

const looks = { ' ': '', '-': 'bg-bad-soft text-bad', '+': 'bg-ok-soft text-ok' }
const spoken = { ' ': '', '-': 'taken away: ', '+': 'added: ' }

/** A difference, as lines of the policy written down. */
export function Changes({ lines, label }: { lines: readonly ChangeLine[]; label: string }) {
  return (
    <ul
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard (WCAG 2.1.1).
      tabIndex={0}
      className="max-h-96 overflow-auto px-4 pb-4 font-mono text-xs focus-visible:-outline-offset-2"
    >
      {lines.map(({ sign, text }, at) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a text that is shown as a whole.
          key={at}
          className={classNames('flex min-w-fit whitespace-pre rounded-xs px-2 py-px', looks[sign])}
        >
          <span aria-hidden="true" className="w-4 shrink-0">
            {sign}
          </span>
          <span className="sr-only">{spoken[sign]}</span>
          {text}
        </li>
      ))}
    </ul>
  )
}
