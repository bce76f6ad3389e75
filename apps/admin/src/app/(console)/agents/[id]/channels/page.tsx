import type { AgentPlace } from '@quartermaster/db'
import { Cable } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { Card, CardHeader } from '../../../../../components/card.tsx'
import { EmptyState } from '../../../../../components/empty-state.tsx'
import { Tag } from '../../../../../components/tag.tsx'
import { data } from '../../../../../data.ts'
import { runtime } from '../../../../../runtime.ts'
import { listPlatformChannels, readAgentView } from '../../queries.ts'
import { Frame } from '../frame.tsx'
import { BindPlaceForm } from './bind-place-form.tsx'
import { UnbindButton } from './unbind-button.tsx'

export const metadata: Metadata = { title: 'Channels of an agent' }

const platforms = { slack: 'Slack', telegram: 'Telegram', web: 'Playground' }

export default async function AgentChannelsPage({ params }: { params: Promise<{ id: string }> }) {
  const view = await readAgentView(params)
  const { agent, workspaceId, mayEdit } = view
  const [places, channels] = await Promise.all([
    data.listPlacesOfAgent(runtime().db, { workspaceId, agentId: agent.id }),
    listPlatformChannels(workspaceId),
  ])
  return (
    <Frame view={view} tab="/channels">
      <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-3 p-4 md:p-5">
        <Card aria-labelledby="answers">
          <CardHeader
            id="answers"
            title="Where it answers"
            about="In the playground everybody can choose it, once it is published."
          >
            {mayEdit && (
              <Link href="/channels" className="text-accent-strong text-xs hover:underline">
                All channels
              </Link>
            )}
          </CardHeader>
          {places.length === 0 ? (
            <EmptyState icon={Cable} title="Nobody meets it in a chat yet">
              Bind a place to it below, or make it the default of a channel.
            </EmptyState>
          ) : (
            <ul aria-label="Where it answers">
              {places.map((place) => (
                <Place key={place.key} place={place} mayEdit={mayEdit} />
              ))}
            </ul>
          )}
        </Card>
        {mayEdit &&
          (channels.length === 0 ? (
            <p className="text-ink-3">
              No chat platform is connected.{' '}
              <Link href="/channels" className="text-accent-strong hover:underline">
                Channels
              </Link>{' '}
              says how.
            </p>
          ) : !agent.published ? (
            <p className="text-ink-3">A place can be bound to it once a version is published.</p>
          ) : (
            <Card aria-labelledby="bind">
              <CardHeader
                id="bind"
                title="Bind a place"
                about="It counts at once. Threads that are open keep their agent."
              />
              <BindPlaceForm agentId={agent.id} channels={channels} />
            </Card>
          ))}
      </div>
    </Frame>
  )
}

function Place({ place, mayEdit }: { place: AgentPlace; mayEdit: boolean }) {
  return (
    <li className="grid min-h-11 grid-cols-[minmax(0,1fr)_auto] items-center gap-3 border-line border-t px-4 py-1.5">
      <p className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
        {place.place === null ? (
          <>
            <span className="font-medium">{place.channelName}</span> <Tag tone="accent">default</Tag>
          </>
        ) : (
          <code className="truncate text-xs">{place.place}</code>
        )}
        <span className="text-ink-3 text-xs">
          {place.place === null
            ? platforms[place.channelKind]
            : `${platforms[place.channelKind]} · ${place.channelName}`}
        </span>
      </p>
      {mayEdit && place.place !== null && <UnbindButton channelId={place.channelId} place={place.place} />}
    </li>
  )
}
