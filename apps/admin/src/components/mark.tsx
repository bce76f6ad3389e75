import { classNames } from './class-names.ts'

/** Our sign: a chest seen from the front, its lid a little open. */
export function Mark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" className={classNames('size-[22px] shrink-0', className)}>
      <rect width="24" height="24" rx="6.5" fill="var(--accent)" />
      <path
        d="M6.2 9.6c0-2.3 1.3-3.5 3.3-3.5h5c2 0 3.3 1.2 3.3 3.5M5.9 12h4.4m3.4 0h4.4M6.2 12v4.1c0 .9.7 1.6 1.6 1.6h8.4c.9 0 1.6-.7 1.6-1.6V12"
        fill="none"
        stroke="var(--on-accent)"
        strokeWidth="1.7"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="12" cy="12.4" r="1.7" fill="var(--on-accent)" />
    </svg>
  )
}
