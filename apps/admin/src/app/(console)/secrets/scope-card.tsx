import type { ListedScope, ListedSecret } from '@quartermaster/db'
import { ChevronRight, KeyRound, X } from 'lucide-react'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { Button } from '../../../components/button.tsx'
import { Card, CardHeader } from '../../../components/card.tsx'
import { ConfirmButton } from '../../../components/confirm-button.tsx'
import { Tag } from '../../../components/tag.tsx'
import { When } from '../../../components/when.tsx'
import { formatWhen } from '../../../format.ts'
import { removeScope, takeScope } from './actions.ts'
import { DescribeForm } from './describe-form.tsx'
import { GrantForm } from './grant-form.tsx'
import { LastUse } from './last-use.tsx'
import { SecretForm } from './secret-form.tsx'

interface ScopeCardProps {
  scope: ListedScope
  secrets: ListedSecret[]
  agents: { id: string; name: string }[]
  /** The form for a value is open: a link led to it. */
  storing: boolean
  now: Date
  timezone: string
}

/** A scope: its secrets, who has it, and which tools ask for it. */
export function ScopeCard({ scope, secrets, agents, storing, now, timezone }: ScopeCardProps) {
  const { id, name, description } = scope
  const others = agents.filter((agent) => !scope.agents.some((granted) => granted.id === agent.id))
  return (
    <Card aria-labelledby={id}>
      <CardHeader id={id} title={name} about={description || 'Nobody has said what it opens.'}>
        {secrets.length === 0 && (
          <ConfirmButton
            action={removeScope}
            fields={{ scopeId: id }}
            title={`Delete the scope ${name}?`}
            about={`${scope.agents.length ? `${scope.agents.map((agent) => agent.name).join(', ')} lose it. ` : ''}The history of secrets that were retired from it goes with it. Tools that ask for it refuse until it is there again.`}
            confirm="Delete it"
            trigger={
              <Button size="small" look="danger" aria-label={`Delete the scope ${name}`}>
                Delete
              </Button>
            }
          />
        )}
      </CardHeader>
      <ul>
        {secrets.map((secret) => (
          <SecretLine key={secret.id} secret={secret} now={now} timezone={timezone} />
        ))}
      </ul>
      <div className="grid gap-1.5 border-line border-t px-4 py-2.5 text-sm">
        <p className="flex flex-wrap items-center gap-1.5">
          <span className="text-ink-3 text-xs">Granted to</span>
          {scope.agents.length === 0 && <span className="text-ink-3 text-xs">no agent yet</span>}
          {scope.agents.map((agent) => (
            <span
              key={agent.id}
              className="inline-flex h-6 items-center rounded-full bg-line/60 pr-0.5 pl-2 font-medium text-ink-2 text-xs"
              title={`Granted by ${agent.grantedBy}, ${formatWhen(new Date(agent.grantedAt), timezone)}`}
            >
              <Link href={`/agents/${agent.id}/secrets`} className="hover:text-ink hover:underline">
                {agent.name}
              </Link>
              <ConfirmButton
                action={takeScope}
                fields={{ scopeId: id, agentId: agent.id }}
                title={`Take ${name} from ${agent.name}?`}
                about={`From its next tool call on ${agent.name} gets nothing of this scope, and tools that need it refuse.`}
                confirm="Take it back"
                keep="Leave it"
                trigger={
                  <button
                    type="button"
                    aria-label={`Take ${name} from ${agent.name}`}
                    className="ml-0.5 grid size-6 place-items-center rounded-full text-ink-3 hover:text-bad [&_svg]:size-3"
                  >
                    <X aria-hidden="true" />
                  </button>
                }
              />
            </span>
          ))}
        </p>
        {scope.tools.length > 0 && (
          <p className="text-ink-3 text-xs">
            Asked for by{' '}
            {scope.tools.slice(0, 6).map((tool, index) => (
              <span key={tool}>
                {index > 0 && ', '}
                <code className="font-mono text-2xs">{tool}</code>
              </span>
            ))}
            {scope.tools.length > 6 && ` and ${scope.tools.length - 6} more`}
          </p>
        )}
      </div>
      <div className="flex flex-wrap gap-x-1 border-line border-t px-2 py-1">
        {/* Anew when a link leads to it: what somebody folded up again opens. */}
        <Unfold key={String(storing)} id={`store-${id}`} label="Store a secret" of={`in ${name}`} open={storing}>
          <SecretForm scope={name} />
        </Unfold>
        {others.length > 0 && (
          <Unfold label="Grant" of={`${name} to an agent`}>
            <div className="px-4 pt-1 pb-4">
              <GrantForm scopeId={id} scope={name} agents={others} />
            </div>
          </Unfold>
        )}
        <Unfold label="Describe" of={name}>
          <div className="px-4 pt-1 pb-4">
            <DescribeForm scopeId={id} description={description} />
          </div>
        </Unfold>
      </div>
    </Card>
  )
}

interface UnfoldProps {
  id?: string
  label: string
  of: string
  open?: boolean
  children: ReactNode
}

/** Side by side while they are closed; an open one takes the whole width below. */
function Unfold({ id, label, of, open, children }: UnfoldProps) {
  return (
    <details id={id} open={open} className="group scroll-mt-4 open:order-last open:basis-full">
      <summary className="flex h-7 w-fit cursor-pointer list-none items-center gap-1 rounded-md px-2 font-medium text-ink-2 text-xs hover:bg-sunken hover:text-ink max-sm:h-10 [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden="true" className="size-3.5 text-ink-3 transition-transform group-open:rotate-90" />
        <span>
          {label}
          <span className="sr-only"> {of}</span>
        </span>
      </summary>
      {children}
    </details>
  )
}

/** What ends within so long is pointed out. */
const soonMs = 30 * 24 * 60 * 60 * 1000

function SecretLine({ secret, now, timezone }: { secret: ListedSecret; now: Date; timezone: string }) {
  const { id, name, version, storedAt, expiresAt, lastUse } = secret
  const isOver = expiresAt !== null && expiresAt <= now
  const isSoon = expiresAt !== null && expiresAt.getTime() - now.getTime() < soonMs
  return (
    <li className="flex min-h-12 items-center gap-3 border-line border-t px-4 py-1.5">
      <KeyRound aria-hidden="true" className="size-4 shrink-0 text-ink-3" strokeWidth={1.75} />
      <div className="min-w-0 flex-1">
        <Link href={`/secrets/${id}`} className="break-all font-mono text-xs underline-offset-2 hover:underline">
          {name}
        </Link>
        <p className="text-ink-3 text-xs">
          version {version}, <When date={storedAt} now={now} timezone={timezone} /> ·{' '}
          <LastUse use={lastUse} now={now} timezone={timezone} />
        </p>
      </div>
      {expiresAt && (
        <Tag tone={isOver ? 'bad' : isSoon ? 'warn' : 'mute'}>
          <span>
            {isOver ? 'expired' : 'expires'} <When date={expiresAt} now={now} timezone={timezone} />
          </span>
        </Tag>
      )}
    </li>
  )
}
