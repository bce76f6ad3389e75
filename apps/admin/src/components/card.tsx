import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'

export function Card({ className, ...rest }: ComponentProps<'section'>) {
  return (
    <section
      {...rest}
      className={classNames('min-w-0 rounded-[10px] border border-line bg-panel shadow-lift', className)}
    />
  )
}

interface CardHeaderProps {
  title: string
  /** One sentence under the title. */
  about?: ReactNode
  /** What stands at the right: a tag, a link, a button. */
  children?: ReactNode
  id?: string
}

export function CardHeader({ title, about, children, id }: CardHeaderProps) {
  return (
    <div className="flex min-h-11 items-start justify-between gap-3 px-4 pt-3 pb-1.5">
      <div className="min-w-0">
        <h2 id={id} className="font-semibold text-sm">
          {title}
        </h2>
        {about && <p className="text-ink-3 text-xs">{about}</p>}
      </div>
      {children}
    </div>
  )
}
