import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { parsePageKey } from '../../../../paging.ts'
import { readSession } from '../../../../playground/read-session.ts'
import { requireMember } from '../../../../session.ts'
import { readZone } from '../../../../viewer-zone.ts'
import { Conversation } from '../conversation.tsx'
import { Frame } from '../frame.tsx'
import { listSessions } from '../queries.ts'
import { SessionDrawer } from '../session-drawer.tsx'
import { SessionList } from '../session-list.tsx'

export const metadata: Metadata = { title: 'Playground' }

export default async function SessionPage({
  params,
  searchParams,
}: {
  params: Promise<{ id: string }>
  searchParams: Promise<Record<string, string | string[] | undefined>>
}) {
  const { membership } = await requireMember('member')
  const [{ id }, { before }] = await Promise.all([params, searchParams])
  const { workspaceId, memberId } = membership
  const [view, page, timezone] = await Promise.all([
    readSession({ workspaceId, memberId, conversationId: id }),
    listSessions(membership, { after: parsePageKey(before) }),
    readZone(workspaceId),
  ])
  if (!view) notFound()
  const now = new Date()
  const list = { page, open: id, before: typeof before === 'string' ? before : null, now, timezone }
  return (
    <Frame {...list}>
      <Conversation
        key={id}
        first={view}
        now={now.toISOString()}
        timezone={timezone}
        drawer={
          <SessionDrawer>
            <SessionList {...list} />
          </SessionDrawer>
        }
      />
    </Frame>
  )
}
