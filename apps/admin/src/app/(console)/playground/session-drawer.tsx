'use client'

import { PanelLeft } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Drawer } from '../../../components/drawer.tsx'

/** The list of sessions where there is no room for it beside the conversation. */
export function SessionDrawer({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false)
  const pathname = usePathname()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a session was opened, so the drawer has done its work.
  useEffect(() => setOpen(false), [pathname])
  return (
    <Drawer
      open={open}
      onOpenChange={setOpen}
      title="Sessions"
      className="flex w-[min(300px,85vw)] flex-col bg-ground"
      trigger={
        <Button look="ghost" size="icon" aria-label="Show the sessions" className="-ml-2 lg:hidden">
          <PanelLeft aria-hidden="true" />
        </Button>
      }
    >
      {children}
    </Drawer>
  )
}
