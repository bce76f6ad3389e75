'use client'

import { usePathname, useRouter } from 'next/navigation'
import { Select } from '../../../../../components/input.tsx'

interface ComparePickerProps {
  from: number
  to: number | 'draft'
  /** The newest first. */
  numbers: number[]
  hasDraft: boolean
}

/** Any two versions, or one and the draft. */
export function ComparePicker({ from, to, numbers, hasDraft }: ComparePickerProps) {
  const router = useRouter()
  const pathname = usePathname()
  const show = (next: { from?: string; to?: string }) =>
    router.replace(`${pathname}?${new URLSearchParams({ from: `${from}`, to: `${to}`, ...next })}`, { scroll: false })
  return (
    <div className="flex items-center gap-1.5 text-ink-3 text-xs">
      <Select aria-label="From" value={from} onChange={({ target }) => show({ from: target.value })} className="w-28">
        {numbers.map((number) => (
          <option key={number} value={number}>
            version {number}
          </option>
        ))}
      </Select>
      to
      <Select aria-label="To" value={to} onChange={({ target }) => show({ to: target.value })} className="w-28">
        {hasDraft && <option value="draft">the draft</option>}
        {numbers.map((number) => (
          <option key={number} value={number}>
            version {number}
          </option>
        ))}
      </Select>
    </div>
  )
}
