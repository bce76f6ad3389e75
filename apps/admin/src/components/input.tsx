import { ChevronsUpDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'

const look =
  'h-8 w-full min-w-0 rounded-md border border-line-strong bg-panel px-2.5 text-sm text-ink placeholder:text-ink-3 transition-colors hover:border-ink-3/60 focus-visible:border-accent focus-visible:outline-offset-0 aria-invalid:border-bad disabled:bg-sunken disabled:text-ink-3 max-sm:h-10 max-sm:text-base'

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input {...rest} className={classNames(look, className)} />
}

export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea {...rest} className={classNames(look, 'h-auto max-sm:h-auto py-1.5', className)} />
}

/** The browser's own list: it is fast with hundreds of entries, and right on a phone. */
export function Select({ className, children, ...rest }: ComponentProps<'select'>) {
  return (
    <span className="relative block">
      <select {...rest} className={classNames(look, 'appearance-none pr-8', className)}>
        {children}
      </select>
      <ChevronsUpDown
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 right-2.5 size-3.5 -translate-y-1/2 text-ink-3"
      />
    </span>
  )
}
