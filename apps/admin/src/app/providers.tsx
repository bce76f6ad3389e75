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

function Toasts() {
  const { resolvedTheme } = useTheme()
  return (
    <Toaster
      theme={resolvedTheme === 'dark' ? 'dark' : 'light'}
      position="bottom-right"
      style={{ fontFamily: 'inherit' }}
      toastOptions={{ style: { background: 'var(--panel)', color: 'var(--ink)', borderColor: 'var(--line)' } }}
    />
  )
}
