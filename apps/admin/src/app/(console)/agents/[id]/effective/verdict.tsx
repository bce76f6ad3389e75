import { Tag } from '../../../../../components/tag.tsx'

export const verdictWords = { allow: 'Allowed', ask: 'Asks', deny: 'Denied' } as const
const tones = { allow: 'ok', ask: 'wait', deny: 'bad' } as const

export function Verdict({ verdict, muted }: { verdict: keyof typeof verdictWords; muted?: boolean }) {
  const word = verdictWords[verdict].toLowerCase()
  return muted ? <Tag>{word}</Tag> : <Tag tone={tones[verdict]}>{word}</Tag>
}
