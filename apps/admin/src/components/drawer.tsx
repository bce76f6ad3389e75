'use client'

import { Dialog } from 'radix-ui'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

interface DrawerProps {
  open: boolean
  onOpenChange(open: boolean): void
  /** For those who do not see it. */
  title: string
  trigger: ReactNode
  /** Its width and ground. */
  className: string
  children: ReactNode
}

/** What comes in from the left where there is no room for it beside the content. */
export function Drawer({ open, onOpenChange, title, trigger, className, children }: DrawerProps) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Trigger asChild>{trigger}</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-appear bg-[oklch(15%_0.02_262/0.35)] dark:bg-[oklch(0%_0_0/0.55)]" />
        <Dialog.Content
          aria-describedby={undefined}
          className={classNames('fixed inset-y-0 left-0 z-50 animate-slide shadow-float outline-none', className)}
        >
          <Dialog.Title className="sr-only">{title}</Dialog.Title>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
