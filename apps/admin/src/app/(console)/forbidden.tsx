import { Lock } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { Button } from '../../components/button.tsx'
import { findCurrentMember } from '../../session.ts'
import { MessagePage } from '../../shell/message-page.tsx'

export const metadata: Metadata = { title: 'Not allowed' }

export default async function Forbidden() {
  const role = (await findCurrentMember())?.membership.role
  return (
    <MessagePage
      icon={Lock}
      title="Your role does not open this page"
      about={`You are ${role === 'owner' || role === 'admin' || role === 'approver' ? 'an' : 'a'} ${role ?? 'guest'} of this workspace. An owner or admin can give you another role.`}
    >
      <Button asChild>
        <Link href="/overview">Go to the Overview</Link>
      </Button>
    </MessagePage>
  )
}
