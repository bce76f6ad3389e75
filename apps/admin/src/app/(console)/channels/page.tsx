import type { Metadata } from 'next'
import { requireMember } from '../../../session.ts'
import { PageHeader } from '../../../shell/page-header.tsx'
import { Refresher } from '../../../shell/refresher.tsx'
import { readZone } from '../../../viewer-zone.ts'
import { ChannelCard } from './channel-card.tsx'
import { listChannels, listChoosableAgents, readBots } from './queries.ts'
import { SetUp } from './set-up.tsx'

export const metadata: Metadata = { title: 'Channels' }

export default async function ChannelsPage() {
  const { membership } = await requireMember('admin')
  const { workspaceId } = membership
  const [channels, agents, bots, timezone] = await Promise.all([
    listChannels(workspaceId),
    listChoosableAgents(workspaceId),
    readBots(),
    readZone(workspaceId),
  ])
  const missing = (['slack', 'telegram'] as const).filter((kind) => !channels.some((channel) => channel.kind === kind))
  const now = new Date()
  return (
    <>
      <PageHeader title="Channels">
        <Refresher everySeconds={10} />
      </PageHeader>
      <div className="grid max-w-6xl gap-3 p-4 md:p-5">
        {channels.map((channel) => (
          <ChannelCard key={channel.id} channel={channel} agents={agents} bots={bots} now={now} timezone={timezone} />
        ))}
        {missing.length > 0 && (
          <div className="grid items-start gap-3 md:grid-cols-2">
            {missing.map((kind) => (
              <SetUp key={kind} kind={kind} />
            ))}
          </div>
        )}
      </div>
    </>
  )
}
