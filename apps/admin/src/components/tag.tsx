import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

const tones = {
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  wait: 'bg-wait-soft text-wait',
  accent: 'bg-accent-soft text-accent-strong',
  mute: 'bg-line/60 text-ink-2',
}

export type Tone = keyof typeof tones

export function Tag({ tone = 'mute', dot, children }: { tone?: Tone; dot?: boolean; children: ReactNode }) {
  return (
    <span
      className={classNames(
        'inline-flex h-5 shrink-0 items-center gap-1.5 whitespace-nowrap rounded-full px-2 font-medium text-2xs',
        tones[tone],
      )}
    >
      {dot && <span aria-hidden="true" className="size-1.5 rounded-full bg-current" />}
      {children}
    </span>
  )
}
