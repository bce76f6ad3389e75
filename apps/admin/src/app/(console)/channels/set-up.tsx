import { Hash, Send } from 'lucide-react'
import type { ReactNode } from 'react'
import { Card, CardHeader } from '../../../components/card.tsx'
import type { PlatformKind } from './queries.ts'

/** How a platform is connected that is not yet; it then appears in the place of this. */
export function SetUp({ kind }: { kind: PlatformKind }) {
  const { title, about, icon: Icon, steps } = ways[kind]
  return (
    <Card aria-labelledby={`set-up-${kind}`}>
      <CardHeader id={`set-up-${kind}`} title={title} about={about}>
        <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-ink-3" strokeWidth={1.75} />
      </CardHeader>
      <ol className="grid gap-2.5 px-4 pt-1.5 pb-4">
        {steps.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps never change their order.
          <li key={index} className="flex gap-2.5">
            <span
              aria-hidden="true"
              className="grid size-5 shrink-0 place-items-center rounded-full bg-sunken font-medium text-2xs text-ink-2"
            >
              {index + 1}
            </span>
            <span className="min-w-0 text-ink-2">{step}</span>
          </li>
        ))}
      </ol>
    </Card>
  )
}

const ways: Record<PlatformKind, { title: string; about: string; icon: typeof Hash; steps: ReactNode[] }> = {
  slack: {
    title: 'Connect Slack',
    about: 'No public address is needed.',
    icon: Hash,
    steps: [
      <>
        <Code>npm run slack:manifest</Code> prints a link that makes the app. Open it, create the app and install it.
      </>,
      <>
        Put its tokens into the file <Code>.env</Code>: <Code>SLACK_BOT_TOKEN</Code> (xoxb-…) and{' '}
        <Code>SLACK_APP_TOKEN</Code> (xapp-…).
      </>,
      <>
        Start again. It appears here when it is connected; <Code>docs/slack.md</Code> has every step.
      </>,
    ],
  },
  telegram: {
    title: 'Connect Telegram',
    about: 'A bot of your own, from BotFather.',
    icon: Send,
    steps: [
      <>
        Write <Code>/newbot</Code> to <Code>@BotFather</Code> on Telegram. It asks for a name and answers with a token.
      </>,
      <>
        Put the token into the file <Code>.env</Code> as <Code>TELEGRAM_BOT_TOKEN</Code>.
      </>,
      <>
        Start again. When it is connected, say here who may talk to it; <Code>docs/telegram.md</Code> has every step.
      </>,
    ],
  },
}

function Code({ children }: { children: string }) {
  return <code className="rounded bg-sunken px-1 py-px font-mono text-ink text-xs">{children}</code>
}
