import { When } from '../../../components/when.tsx'
import { LetInButton } from './let-in-button.tsx'
import type { ListedChannel } from './queries.ts'

/** Who was turned away lately: often somebody who is only not on the list yet. */
export function StrangerList({ channel, now, timezone }: { channel: ListedChannel; now: Date; timezone: string }) {
  if (!channel.strangers.length) return null
  return (
    <div>
      <h4 className="text-ink-3 text-xs">Turned away lately</h4>
      <ul aria-label={`Turned away by ${channel.name}`}>
        {channel.strangers.map(({ externalId, toldAt }) => (
          <li key={externalId} className="flex min-h-9 items-center justify-between gap-3">
            <span className="min-w-0 truncate">
              <span className="font-mono text-xs">{externalId}</span>{' '}
              <span className="text-ink-3 text-xs">
                <When date={toldAt} now={now} timezone={timezone} />
              </span>
            </span>
            <LetInButton channelId={channel.id} person={externalId} />
          </li>
        ))}
      </ul>
    </div>
  )
}
