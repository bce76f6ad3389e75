'use client'

import { PanelLeft } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { Dialog } from 'radix-ui'
import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../../../components/button.tsx'

/** The list of sessions where there is no room for it beside the conversation. */
export function SessionDrawer({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false)
  const pathname = usePathname()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a session was opened, so the drawer has done its work.
  useEffect(() => setOpen(false), [pathname])
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger asChild>
        <Button look="ghost" size="icon" aria-label="Show the sessions" className="-ml-2 lg:hidden">
          <PanelLeft aria-hidden="true" />
        </Button>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-appear bg-[oklch(15%_0.02_262/0.35)] dark:bg-[oklch(0%_0_0/0.55)]" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-y-0 left-0 z-50 flex w-[min(300px,85vw)] animate-slide flex-col bg-ground shadow-float outline-none"
        >
          <Dialog.Title className="sr-only">Sessions</Dialog.Title>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
