import { classNames } from '../../../components/class-names.ts'
import { bindPlace } from './actions.ts'
import { AgentChoice } from './agent-choice.tsx'
import { describePlace } from './describe-place.ts'
import type { ChoosableAgent, ListedChannel } from './queries.ts'
import { UnbindButton } from './unbind-button.tsx'

/** Place, agent, and what takes it away; on a phone the place stands above the two. */
export const bindingRow =
  'grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-2 gap-y-1 py-2 sm:grid-cols-[minmax(0,1fr)_minmax(0,15rem)_2rem]'

/** Which place is answered by whom, where it is not the default agent. */
export function BindingList({ channel, agents }: { channel: ListedChannel; agents: ChoosableAgent[] }) {
  const { id, kind, bindings, places } = channel
  if (!bindings.length) return null
  const fallback = agents.find((agent) => agent.id === channel.defaultAgentId)?.name ?? null
  return (
    <ul aria-label={`Places of ${channel.name}`} className="grid">
      {bindings.map(({ place, agentId, agentName }) => {
        const known = places.find((candidate) => candidate.place === place)
        return (
          <li key={place} className={classNames(bindingRow, 'border-line border-t')}>
            <div className="min-w-0 max-sm:col-span-2">
              <p className="truncate font-mono text-xs">{place}</p>
              <p className="truncate text-ink-3 text-xs empty:hidden">{known && describePlace(kind, known)}</p>
            </div>
            <AgentChoice
              key={agentId}
              action={bindPlace}
              agents={agents}
              agentId={agentId}
              agentName={agentName}
              label={`Who answers in ${place}`}
              id={`${id}-${place}-agent`}
              fields={{ channelId: id, place }}
            />
            <UnbindButton channelId={id} place={place} agentName={agentName} fallback={fallback} />
          </li>
        )
      })}
    </ul>
  )
}
