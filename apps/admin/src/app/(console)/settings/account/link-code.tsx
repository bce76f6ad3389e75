'use client'

import { useRouter } from 'next/navigation'
import { useEffect, useState, useTransition } from 'react'
import { toast } from 'sonner'
import { Button } from '../../../../components/button.tsx'
import { getLinkCode } from './actions.ts'
import type { ConnectedPlatform } from './queries.ts'

const commands = {
  slack: { where: 'In Slack', command: '/qm link' },
  telegram: { where: 'To the bot on Telegram', command: '/link' },
}

/** A code to say on another platform. It is shown once; meanwhile the page looks whether it was used. */
export function LinkCode({ platforms }: { platforms: ConnectedPlatform[] }) {
  const [shown, show] = useState<{ code: string; expiresAt: number } | null>(null)
  const [isOver, setOver] = useState(false)
  const [busy, start] = useTransition()
  const router = useRouter()

  useEffect(() => {
    if (!shown) return
    const looking = setInterval(() => document.visibilityState === 'visible' && router.refresh(), 3_000)
    const ending = setTimeout(() => {
      show(null)
      setOver(true)
    }, shown.expiresAt - Date.now())
    return () => {
      clearInterval(looking)
      clearTimeout(ending)
    }
  }, [shown, router])

  const get = () =>
    start(async () => {
      const result = await getLinkCode(null, new FormData())
      if (!result.ok || !result.once) return void toast.error(result.message)
      const { code = '', expiresAt = '' } = result.once
      setOver(false)
      show({ code, expiresAt: new Date(expiresAt).getTime() })
    })

  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button onClick={get} disabled={busy}>
          {shown ? 'Get another code' : 'Get a code'}
        </Button>
        {!shown && (
          <p className="text-ink-3 text-xs">
            {isOver ? 'The code has expired.' : 'It tells the bot on another platform that it is you who writes there.'}
          </p>
        )}
      </div>
      <div role="status">
        {shown && (
          <div className="rounded-lg border border-line bg-sunken px-3 py-2.5">
            <ul className="grid gap-1.5">
              {platforms.map(({ kind, bot }) => (
                <li key={kind} className="flex flex-wrap items-baseline gap-x-2">
                  <span className="text-ink-2">{commands[kind].where}, write</span>
                  <code className="select-all font-medium font-mono text-base text-ink">
                    {commands[kind].command} {shown.code}
                  </code>
                  {bot && (
                    <a
                      href={`https://t.me/${bot}?start=${shown.code.replace('-', '')}`}
                      target="_blank"
                      rel="noreferrer"
                      className="text-accent-strong underline underline-offset-2"
                    >
                      or open @{bot} with it
                    </a>
                  )}
                </li>
              ))}
            </ul>
            <p className="mt-2 text-ink-2 text-xs">
              It holds for ten minutes and for one use, and is not shown again. Give it to nobody: whoever writes it is
              taken for you.
            </p>
          </div>
        )}
      </div>
    </div>
  )
}
