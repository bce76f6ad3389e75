import type { ListedProcess, PartHealth } from '@quartermaster/db'
import { Card, CardHeader } from '../../../components/card.tsx'
import { Tag, type Tone } from '../../../components/tag.tsx'
import { summariseHealth } from './health.ts'
import type { ChannelState } from './queries.ts'

const states: Record<PartHealth['state'], { tone: Tone; word: string }> = {
  ok: { tone: 'ok', word: 'ok' },
  off: { tone: 'mute', word: 'not connected' },
  warning: { tone: 'warn', word: 'look' },
  problem: { tone: 'bad', word: 'problem' },
}

export function HealthPanel({ bots, troubled }: { bots: ListedProcess[]; troubled: ChannelState[] }) {
  return (
    <Card aria-labelledby="health">
      <CardHeader id="health" title="Health" />
      <ul>
        {summariseHealth(bots, troubled).map(({ name, health }) => (
          <li key={name} className="border-line border-t px-4 py-2">
            <p className="flex items-center justify-between gap-3">
              <span className="font-medium">{name}</span>
              <Tag tone={states[health.state].tone} dot>
                {states[health.state].word}
              </Tag>
            </p>
            <p className="break-words text-ink-3 text-xs">{health.detail}</p>
            {health.next && <p className="mt-0.5 break-words text-ink-2 text-xs">→ {health.next}</p>}
          </li>
        ))}
      </ul>
    </Card>
  )
}
