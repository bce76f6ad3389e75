import type { SecretUse } from '@quartermaster/db'
import { When } from '../../../components/when.tsx'

const places = { slack: 'in Slack', telegram: 'in Telegram', web: 'in the Playground' }

/** When a call got it, whose, for what, and who had asked for that where. */
export function LastUse({ use, now, timezone }: { use: SecretUse | null; now: Date; timezone: string }) {
  if (!use) return <>never used</>
  return (
    <>
      used <When date={use.at} now={now} timezone={timezone} />
      {use.agent && <> by {use.agent.name ?? 'an agent that is gone'}</>}
      {use.tool && (
        <>
          {' '}
          for <code className="font-mono text-2xs">{use.tool}</code>
        </>
      )}
      {use.run && (
        <>
          {', '}
          {use.run.requester ? `asked by ${use.run.requester}` : 'asked by nobody'} {places[use.run.channelKind]}
        </>
      )}
    </>
  )
}
