import type { Metadata } from 'next'
import { parsePageKey } from '../../../paging.ts'
import { requireMember } from '../../../session.ts'
import { readZone } from '../../../viewer-zone.ts'
import { Frame } from './frame.tsx'
import { NewSession } from './new-session.tsx'
import { findAnswering, listAgents, listSessions } from './queries.ts'
import { SessionDrawer } from './session-drawer.tsx'
import { SessionList } from './session-list.tsx'

export const metadata: Metadata = { title: 'Playground' }

export default async function PlaygroundPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>
}) {
  const { membership } = await requireMember('member')
  const { before, agent } = await searchParams
  const [page, agents, answering, timezone] = await Promise.all([
    listSessions(membership, { after: parsePageKey(before) }),
    listAgents(membership.workspaceId),
    findAnswering(),
    readZone(membership.workspaceId),
  ])
  const list = {
    page,
    open: null,
    before: typeof before === 'string' ? before : null,
    now: new Date(),
    timezone,
  }
  return (
    <Frame {...list}>
      <header className="flex min-h-12 items-center gap-2 border-line border-b px-4 md:px-5">
        <SessionDrawer>
          <SessionList {...list} />
        </SessionDrawer>
        <h1 className="font-semibold text-base">Playground</h1>
      </header>
      <NewSession agents={agents} chosen={typeof agent === 'string' ? agent : null} answering={answering} />
    </Frame>
  )
}
