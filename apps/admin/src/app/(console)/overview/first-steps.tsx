import type { ListedProcess } from '@quartermaster/db'
import { CircleCheck, CircleDashed } from 'lucide-react'
import Link from 'next/link'
import { Card, CardHeader } from '../../../components/card.tsx'

/** What an empty workspace needs, in order; what is done is ticked. */
export function FirstSteps({ bots, mayWrite }: { bots: ListedProcess[]; mayWrite: boolean }) {
  const is = (part: 'slack' | 'telegram' | 'model') => bots.some((bot) => bot.health?.[part].state === 'ok')
  const steps = [
    {
      done: bots.length > 0,
      title: 'Start the bot',
      about: <>“npm start” runs it beside this console.</>,
    },
    {
      done: false,
      title: 'Write to it',
      about: (
        <>
          {mayWrite ? (
            <Link href="/playground" className="text-accent-strong underline underline-offset-2">
              In the Playground
            </Link>
          ) : (
            'In the Playground'
          )}{' '}
          it answers right here, also without a key. Its first run then appears below.
        </>
      ),
    },
    {
      done: is('model'),
      title: 'Give it a model',
      about: (
        <>
          Set <Name>ANTHROPIC_API_KEY</Name>. Until then the offline model answers: no AI, but enough to see how
          questions and tools work.
        </>
      ),
    },
    {
      done: is('slack') || is('telegram'),
      title: 'Connect Slack or Telegram',
      about: (
        <>
          Put <Name>SLACK_BOT_TOKEN</Name> and <Name>SLACK_APP_TOKEN</Name>, or <Name>TELEGRAM_BOT_TOKEN</Name>, in the
          file <Name>.env</Name> and start again.
        </>
      ),
    },
  ]
  return (
    <Card aria-labelledby="first-steps" className="border-accent/35">
      <CardHeader id="first-steps" title="First steps" about="This workspace has had no run yet." />
      <ol className="grid gap-x-6 gap-y-3 px-4 pt-1 pb-4 sm:grid-cols-2 xl:grid-cols-4">
        {steps.map(({ done, title, about }) => (
          <li key={title} className="flex gap-2.5">
            {done ? (
              <CircleCheck aria-label="done" className="mt-0.5 size-4 shrink-0 text-ok" />
            ) : (
              <CircleDashed aria-label="to do" className="mt-0.5 size-4 shrink-0 text-ink-3" />
            )}
            <div className="min-w-0">
              <p className="font-medium">{title}</p>
              <p className="text-ink-3 text-xs">{about}</p>
            </div>
          </li>
        ))}
      </ol>
    </Card>
  )
}

function Name({ children }: { children: string }) {
  return <code className="whitespace-nowrap font-mono text-2xs text-ink-2">{children}</code>
}
