'use client'

import { ThemeProvider, useTheme } from 'next-themes'
import type { ReactNode } from 'react'
import { Toaster } from 'sonner'

export function Providers({ nonce, children }: { nonce: string; children: ReactNode }) {
  return (
    <ThemeProvider attribute="class" nonce={nonce} disableTransitionOnChange enableColorScheme={false}>
      {children}
      <Toasts />
    </ThemeProvider>
  )
}

/**
 * A toast is read out and gone; there is nothing in it to do. As a stop of the Tab key it holds up whoever goes round the
 * page by keyboard: it stays while it has the focus, and gives it back to where it came from.
 */
function passBy(toasts: HTMLElement | null) {
  if (!toasts) return
  const observer = new MutationObserver(() => {
    for (const toast of toasts.querySelectorAll<HTMLElement>('[data-sonner-toast][tabindex="0"]')) toast.tabIndex = -1
  })
  observer.observe(toasts, { childList: true, subtree: true })
  return () => observer.disconnect()
}

function Toasts() {
  const { resolvedTheme } = useTheme()
  return (
    <Toaster
      ref={passBy}
      theme={resolvedTheme === 'dark' ? 'dark' : 'light'}
      position="bottom-right"
      style={{ fontFamily: 'inherit' }}
      toastOptions={{ style: { background: 'var(--panel)', color: 'var(--ink)', borderColor: 'var(--line)' } }}
    />
  )
}
