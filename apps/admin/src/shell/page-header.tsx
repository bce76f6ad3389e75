import type { ReactNode } from 'react'

/** The bar over a page: what it is, and what can be done here. */
export function PageHeader({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <header className="flex min-h-12 flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line border-b px-4 py-2 md:px-5">
      <h1 className="font-semibold text-base">{title}</h1>
      {children}
    </header>
  )
}
