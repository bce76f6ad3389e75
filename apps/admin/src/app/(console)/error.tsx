'use client'

import { CloudAlert } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { MessagePage } from '../../shell/message-page.tsx'

export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
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
      <Button look="primary" onClick={reset}>
        Try again
      </Button>
    </MessagePage>
  )
}
