import '@fontsource-variable/inter'
import '@fontsource-variable/jetbrains-mono'
import './globals.css'
import inter from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'
import jetbrains from '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2'
import type { Metadata, Viewport } from 'next'
import { headers } from 'next/headers'
import type { ReactNode } from 'react'
import { preload } from 'react-dom'
import { TellZone } from '../shell/tell-zone.tsx'
import { readToldZone } from '../viewer-zone.ts'
import { Providers } from './providers.tsx'

export const metadata: Metadata = {
  title: { default: 'Quartermaster', template: '%s · Quartermaster' },
  robots: { index: false, follow: false },
}

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#fbfbfd' },
    { media: '(prefers-color-scheme: dark)', color: '#0e1013' },
  ],
}

export default async function RootLayout({ children }: { children: ReactNode }) {
  const [nonce, zone] = await Promise.all([headers().then((all) => all.get('x-nonce') ?? ''), readToldZone()])
  // Asked for with the page and not only by its styles: a text that changes its font after it was painted moves.
  for (const font of [inter, jetbrains]) preload(font, { as: 'font', type: 'font/woff2', crossOrigin: 'anonymous' })
  return (
    // The theme's class is set by a script before the first paint, so the server's markup differs from the browser's.
    <html lang="en" suppressHydrationWarning>
      <body>
        <TellZone told={zone} />
        <Providers nonce={nonce}>{children}</Providers>
      </body>
    </html>
  )
}
