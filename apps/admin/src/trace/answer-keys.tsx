'use client'

import { type ReactNode, useEffect, useRef } from 'react'
import { Kbd } from '../components/kbd.tsx'

/** Which button of the card a key presses. */
const keys: Record<string, string> = { a: 'Approve', d: 'Deny' }

/** An open question for whoever has no hand on the mouse: A approves it and D denies it. */
export function AnswerKeys({ label, hint, children }: { label: string; hint: boolean; children: ReactNode }) {
  const frame = useRef<HTMLElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const wanted = keys[event.key.toLowerCase()]
      if (!wanted || event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return
      // A dialog over the page has the keys for itself.
      if (document.querySelector('[role=dialog],[role=menu]')) return
      const buttons = [...(frame.current?.querySelectorAll('button') ?? [])]
      const button = buttons.find((candidate) => candidate.textContent === wanted && !candidate.disabled)
      if (!button) return
      event.preventDefault()
      button.click()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  return (
    <section ref={frame} aria-label={label} className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2">
      {children}
      {hint && (
        <p className="flex items-center gap-1.5 px-1 text-ink-3 text-xs max-sm:hidden">
          <Kbd>A</Kbd> approves, <Kbd>D</Kbd> denies
        </p>
      )}
    </section>
  )
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
