import { Compass } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { connection } from 'next/server'
import { Button } from '../components/button.tsx'
import { MessagePage } from '../shell/message-page.tsx'

export const metadata: Metadata = { title: 'Not found' }

export default async function NotFound() {
  // A page made at build time could not carry the nonce of the request, and its scripts would be refused.
  await connection()
  return (
    <main>
      <MessagePage
        icon={Compass}
        title="There is nothing at this address"
        about="It may have been removed, or the address has a mistake in it."
      >
        <Button asChild>
          <Link href="/overview">Go to the Overview</Link>
        </Button>
      </MessagePage>
    </main>
  )
}
