import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'

interface ShownOnceProps {
  /** What it is: "The link for ada@example.com". */
  label: string
  text: string
  /** What to do with it, and that it does not come again. */
  children: ReactNode
}

/** What is shown now and to nobody ever again: it is selected with a click and copied with another. */
export function ShownOnce({ label, text, children }: ShownOnceProps) {
  return (
    <div role="status" className="rounded-lg border border-accent/30 bg-accent-soft/50 px-3 py-2.5">
      <p className="font-medium text-sm">{label}</p>
      <div className="mt-1.5 flex items-center gap-1 rounded-md border border-line bg-panel py-0.5 pr-0.5 pl-2.5">
        <code className="min-w-0 flex-1 select-all break-all py-1 font-mono text-xs">{text}</code>
        <CopyButton text={text} label={`Copy: ${label}`} />
      </div>
      <div className="mt-2 text-ink-2 text-xs">{children}</div>
    </div>
  )
}
