import type { ChangeBlock } from '../../../agents/describe-changes.ts'
import { classNames } from '../../../components/class-names.ts'

/** What a version changes, line by line under a heading each. */
export function ChangeList({ label, blocks, className }: { label: string; blocks: ChangeBlock[]; className?: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs; this only names what scrolls.
    <div
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard (WCAG 2.1.1).
      tabIndex={0}
      className={classNames(
        'overflow-auto rounded-md border border-line font-mono text-xs focus-visible:-outline-offset-2',
        className,
      )}
    >
      {blocks.map(({ head, lines }) => (
        <div key={head} className="border-line not-first:border-t">
          <p className="bg-sunken px-2.5 py-1 text-2xs text-ink-2">{head}</p>
          {lines.map(({ sign, text }, index) => (
            <p
              // biome-ignore lint/suspicious/noArrayIndexKey: lines repeat, and none moves.
              key={index}
              className={classNames(
                'whitespace-pre-wrap break-words px-2.5 text-ink-2',
                sign === '+' && 'bg-ok-soft text-ok',
                sign === '-' && 'bg-bad-soft text-bad',
              )}
            >
              {sign} {text}
            </p>
          ))}
        </div>
      ))}
    </div>
  )
}
