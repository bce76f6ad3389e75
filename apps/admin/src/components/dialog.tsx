'use client'

import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
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

export function Dialog({ title, about, trigger, children, wide, ...state }: DialogProps) {
  return (
    <Radix.Root {...state}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-appear bg-[oklch(15%_0.02_262/0.35)] dark:bg-[oklch(0%_0_0/0.55)]" />
        <Radix.Content
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
