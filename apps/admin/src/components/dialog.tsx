'use client'

import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useEffect, useRef } from 'react'
import { classNames } from './class-names.ts'

interface DialogProps {
  title: string
  about: ReactNode
  trigger: ReactNode
  /** The buttons; wrap the one that only closes in DialogClose. */
  children: ReactNode
  /** For what is read before it is answered, e.g. a difference. */
  wide?: boolean
  open?: boolean
  onOpenChange?: (open: boolean) => void
}

/** Where the button that opened it went away with its row, whoever goes on by keyboard goes on from the page. */
function focusPageIfLost() {
  setTimeout(() => {
    const { activeElement } = document
    if (!activeElement || activeElement === document.body)
      document.getElementById('content')?.focus({ preventScroll: true })
  })
}

export function Dialog({ title, about, trigger, children, wide, open, onOpenChange }: DialogProps) {
  const wasOpened = useRef(false)
  // The row may go with the dialog, or a moment after it.
  useEffect(() => () => void (wasOpened.current && focusPageIfLost()), [])
  const follow = (isOpen: boolean) => {
    if (isOpen) wasOpened.current = true
    onOpenChange?.(isOpen)
  }
  return (
    <Radix.Root onOpenChange={follow} {...(open === undefined ? {} : { open })}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-appear bg-[oklch(15%_0.02_262/0.35)] dark:bg-[oklch(0%_0_0/0.55)]" />
        <Radix.Content
          onCloseAutoFocus={focusPageIfLost}
          className={classNames(
            'fixed top-1/2 left-1/2 z-50 max-h-[calc(100vh-32px)] w-[min(420px,calc(100vw-32px))] -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-xl bg-panel p-5 shadow-float outline-none',
            wide && 'w-[min(640px,calc(100vw-32px))]',
          )}
        >
          <Radix.Title className="font-semibold text-base">{title}</Radix.Title>
          <Radix.Description className="mt-1.5 text-ink-2">{about}</Radix.Description>
          <div className="mt-5 flex justify-end gap-2">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

export const DialogClose = Radix.Close
