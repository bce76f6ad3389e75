'use client'

import { CloudAlert } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { startTransition } from 'react'
import { Button } from '../../components/button.tsx'
import { MessagePage } from '../../shell/message-page.tsx'

export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  const router = useRouter()
  // `reset` alone would show again what the server sent, which was the failure.
  const retry = () =>
    startTransition(() => {
      router.refresh()
      reset()
    })
  return (
    <MessagePage
      icon={CloudAlert}
      title="This page could not be shown"
      about={
        <>
          Often the database was away for a moment. If it happens again, the console’s log has the reason
          {error.digest && (
            <>
              {' '}
              under <code className="font-mono text-xs">{error.digest}</code>
            </>
          )}
          .
        </>
      }
    >
      <Button look="primary" onClick={retry}>
        Try again
      </Button>
    </MessagePage>
  )
}
