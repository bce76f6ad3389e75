import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'

/** A table that scrolls sideways in its own frame on a narrow screen. Reachable by keyboard, so it can be scrolled. */
export function Table({ label, className, ...rest }: ComponentProps<'table'> & { label: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs; this only names what scrolls.
    <div
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard (WCAG 2.1.1).
      tabIndex={0}
      // Relative: what is for screen readers only is placed absolutely, and would make the page itself as wide as the table.
      className="relative overflow-x-auto rounded-b-[10px] focus-visible:-outline-offset-2"
    >
      <table {...rest} className={classNames('w-full border-collapse text-sm', className)} />
    </div>
  )
}

export function HeadCell({ className, ...rest }: ComponentProps<'th'>) {
  return (
    <th
      scope="col"
      {...rest}
      className={classNames(
        'whitespace-nowrap px-2 py-1.5 text-left font-medium text-ink-3 text-xs first:pl-4 last:pr-4',
        className,
      )}
    />
  )
}

export function Row({ className, ...rest }: ComponentProps<'tr'>) {
  return <tr {...rest} className={classNames('border-line border-t hover:bg-sunken/60', className)} />
}

export function Cell({ className, ...rest }: ComponentProps<'td'>) {
  return <td {...rest} className={classNames('h-9 whitespace-nowrap px-2 first:pl-4 last:pr-4', className)} />
}
