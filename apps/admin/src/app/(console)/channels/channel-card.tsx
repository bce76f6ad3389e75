import type { ListedProcess } from '@quartermaster/db'
import { Hash, Send } from 'lucide-react'
import type { ReactNode } from 'react'
import { Card } from '../../../components/card.tsx'
import { Tag } from '../../../components/tag.tsx'
import { saveDefaultAgent } from './actions.ts'
import { AdmissionForm } from './admission-form.tsx'
import { AgentChoice } from './agent-choice.tsx'
import { BindForm } from './bind-form.tsx'
import { BindingList, bindingRow } from './binding-list.tsx'
import { describePlace } from './describe-place.ts'
import { describeState } from './describe-state.ts'
import type { ChoosableAgent, ListedChannel } from './queries.ts'
import { StrangerList } from './stranger-list.tsx'
import { TestForm } from './test-form.tsx'

interface ChannelCardProps {
  channel: ListedChannel
  agents: ChoosableAgent[]
  bots: ListedProcess[]
  now: Date
  timezone: string
}

const platforms = { slack: { name: 'Slack', icon: Hash }, telegram: { name: 'Telegram', icon: Send } }

export function ChannelCard({ channel, agents, bots, now, timezone }: ChannelCardProps) {
  const { id, kind, name } = channel
  const { name: platform, icon: Icon } = platforms[kind]
  const state = describeState(channel, bots)
  const places = channel.places.map((known) => ({ place: known.place, about: describePlace(kind, known) }))
  const bound = new Set(channel.bindings.map(({ place }) => place))
  const bindable = places.filter(({ place }) => !bound.has(place) && !place.startsWith('dm:'))
  return (
    <Card aria-labelledby={id}>
      <header className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-start gap-x-3 gap-y-1.5 px-4 pt-3.5 pb-3">
        <span className="grid size-8 shrink-0 place-items-center rounded-lg bg-sunken text-ink-2">
          <Icon aria-hidden="true" className="size-4" strokeWidth={1.75} />
        </span>
        <div className="min-w-0">
          <h2 id={id} className="truncate font-semibold text-base">
            {name}
          </h2>
          <p className="text-ink-3 text-xs">
            {platform} · <span className="font-mono text-2xs">{channel.externalId}</span>
          </p>
        </div>
        <Tag tone={state.tone} dot>
          {state.word}
        </Tag>
        <div className="col-span-3 break-words text-ink-2 sm:col-span-2 sm:col-start-2">
          <p>{state.detail}</p>
          {state.next && <p>→ {state.next}</p>}
        </div>
      </header>
      <div className="grid border-line border-t lg:grid-cols-[minmax(0,7fr)_minmax(0,5fr)]">
        <Section title="Who answers" className="lg:border-line lg:border-r">
          <div className={bindingRow}>
            <div className="min-w-0 max-sm:col-span-2">
              <p className="font-medium">By default</p>
              <p className="text-ink-3 text-xs">Wherever nothing is bound, direct chats included.</p>
            </div>
            <AgentChoice
              key={channel.defaultAgentId}
              action={saveDefaultAgent}
              agents={agents}
              agentId={channel.defaultAgentId}
              label={`Who answers by default in ${name}`}
              id={`${id}-default`}
              fields={{ channelId: id }}
            />
          </div>
          <BindingList channel={channel} agents={agents} />
          <div className="border-line border-t pt-3 pb-1">
            <BindForm channelId={id} kind={kind} agents={agents} places={bindable} />
          </div>
        </Section>
        <div className="max-lg:border-line max-lg:border-t">
          <Section title="Who may talk to it">
            <AdmissionForm channelId={id} kind={kind} name={name} admission={channel.admission} />
            <StrangerList channel={channel} now={now} timezone={timezone} />
          </Section>
          <Section title="Test message" className="border-line border-t">
            <TestForm channelId={id} places={places} />
          </Section>
        </div>
      </div>
    </Card>
  )
}

function Section({ title, className = '', children }: { title: string; className?: string; children: ReactNode }) {
  return (
    <section className={`grid content-start px-4 py-3 ${className}`}>
      <h3 className="pb-1 font-medium text-ink-3 text-xs">{title}</h3>
      {children}
    </section>
  )
}
