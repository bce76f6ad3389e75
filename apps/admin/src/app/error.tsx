'use client'

import ConsoleError from './(console)/error.tsx'

export default function ErrorPage(props: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <main>
      <ConsoleError {...props} />
    </main>
  )
}
