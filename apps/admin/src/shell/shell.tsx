'use client'

import { Menu as MenuIcon } from 'lucide-react'
import dynamic from 'next/dynamic'
import { usePathname } from 'next/navigation'
import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Drawer } from '../components/drawer.tsx'
import { Mark } from '../components/mark.tsx'
import { Navigation } from './navigation.tsx'
import type { ShellProps } from './shell-props.ts'
import { useWaiting } from './use-waiting.ts'

// The palette comes after the page and before it is asked for: letters typed right after ⌘K must not be lost.
const loadPalette = () => import('./palette.tsx').then((module) => module.Palette)
const Palette = dynamic(loadPalette, { ssr: false })

/** The frame of every page: navigation at the left, or behind a button on a narrow screen, and the palette. */
export function Shell({ children, ...props }: ShellProps & { children: ReactNode }) {
  const [palette, setPalette] = useState<'unused' | 'open' | 'closed'>('unused')
  const [drawer, setDrawer] = useState(false)
  const pathname = usePathname()
  const waiting = useWaiting(props.workspace.id)

  useEffect(() => {
    void loadPalette()
  }, [])

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey) return
      event.preventDefault()
      setPalette((state) => (state === 'open' ? 'closed' : 'open'))
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a page was opened, so the drawer has done its work.
  useEffect(() => setDrawer(false), [pathname])

  const search = () => {
    setDrawer(false)
    setPalette('open')
  }

  return (
    <div className="min-h-dvh md:grid md:grid-cols-[216px_minmax(0,1fr)]">
      <a
        href="#content"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-accent px-3 py-1.5 font-medium text-on-accent focus:translate-y-0"
      >
        Skip to the content
      </a>

      <aside className="sticky top-0 z-20 hidden h-dvh border-line border-r bg-sunken md:block">
        <Navigation {...props} waiting={waiting} onSearch={search} />
      </aside>

      <header className="sticky top-0 z-30 flex h-12 items-center gap-2 border-line border-b bg-sunken px-3 md:hidden">
        <Drawer
          open={drawer}
          onOpenChange={setDrawer}
          title="Navigation"
          className="w-[min(280px,85vw)] bg-sunken"
          trigger={
            <Button look="ghost" size="icon" aria-label="Open the navigation">
              <MenuIcon aria-hidden="true" />
            </Button>
          }
        >
          <Navigation {...props} waiting={waiting} onSearch={search} onFollow={() => setDrawer(false)} />
        </Drawer>
        <Mark />
        <span className="truncate font-semibold">{props.workspace.name}</span>
      </header>

      <main id="content" tabIndex={-1} className="min-w-0 outline-none">
        {children}
      </main>

      {palette !== 'unused' && (
        <Palette {...props} open={palette === 'open'} onOpenChange={(open) => setPalette(open ? 'open' : 'closed')} />
      )}
    </div>
  )
}
