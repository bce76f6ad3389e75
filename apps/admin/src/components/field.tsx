import { Label } from 'radix-ui'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

interface FieldProps {
  /** The id of the input; its hint and its mistake get ids of their own from it. */
  id: string
  label: ReactNode
  hint?: ReactNode
  mistake?: string | undefined
  children: ReactNode
}

/** A labelled input. Give the input `fieldProps(id, mistake)` so that both are read together. */
export function Field({ id, label, hint, mistake, children }: FieldProps) {
  return (
    <div className="grid content-start gap-1.5">
      <Label.Root htmlFor={id} className="font-medium text-ink text-sm">
        {label}
      </Label.Root>
      {children}
      <p id={`${id}-note`} className={classNames('text-xs empty:hidden', mistake ? 'text-bad' : 'text-ink-3')}>
        {mistake ?? hint}
      </p>
    </div>
  )
}

export const fieldProps = (id: string, mistake?: string) => ({
  id,
  name: id,
  'aria-invalid': mistake ? true : undefined,
  'aria-describedby': `${id}-note`,
})
