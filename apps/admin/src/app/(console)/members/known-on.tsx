import { Hash, KeyRound, Send } from 'lucide-react'
import type { KnownAs } from './queries.ts'

export const platforms = {
  console: { name: 'Console', icon: KeyRound },
  slack: { name: 'Slack', icon: Hash },
  telegram: { name: 'Telegram', icon: Send },
}

/** On which platforms somebody is known, and under which name. */
export function KnownOn({ identities }: { identities: KnownAs[] }) {
  if (!identities.length) return <span className="text-ink-3">nowhere yet</span>
  return (
    <ul className="flex flex-wrap gap-x-3">
      {identities.map(({ id, kind, name }) => {
        const { name: platform, icon: Icon } = platforms[kind]
        return (
          <li key={id} className="flex items-center gap-1 text-ink-2" title={`${name} on ${platform}`}>
            <Icon aria-hidden="true" className="size-3.5 text-ink-3" strokeWidth={1.75} />
            <span className="sr-only">{platform}: </span>
            <span className="max-w-36 truncate">{kind === 'console' ? platform : name}</span>
          </li>
        )
      })}
    </ul>
  )
}
