import type { ListedAuditEvent } from '@quartermaster/db'
import { ChevronRight } from 'lucide-react'
import Link from 'next/link'
import { areas } from '../../../areas.ts'
import { Facts } from '../../../components/facts.tsx'
import { TextBlock } from '../../../components/text-block.tsx'
import { When } from '../../../components/when.tsx'
import { formatWhen } from '../../../format.ts'
import { describeActor, describeEvent } from './describe-event.ts'
import type { Names } from './read-names.ts'

interface AuditEntryProps {
  event: ListedAuditEvent
  names: Names
  now: Date
  timezone: string
}

/** One event in words, and all that is recorded of it one click away. */
export function AuditEntry({ event, names, now, timezone }: AuditEntryProps) {
  const { number, at, actor, action, subject, data, hash } = event
  // What has no name any more has no page either.
  const page = names.has(subject.id) ? pageOf(subject) : null
  const thing = names.get(subject.id) ?? subject.id
  return (
    <li className="border-line border-t first:border-t-0">
      <details className="group">
        <summary className="flex min-h-10 cursor-pointer list-none items-baseline gap-3 px-4 py-2 hover:bg-sunken/60 focus-visible:-outline-offset-2 [&::-webkit-details-marker]:hidden">
          <ChevronRight
            aria-hidden="true"
            className="size-3.5 shrink-0 translate-y-0.5 text-ink-3 transition-transform group-open:rotate-90"
          />
          <span className="min-w-0 flex-1">
            <span className="font-medium">{describeActor(event, names)}</span>{' '}
            <span className="break-words text-ink-2">{describeEvent(event, names)}</span>
          </span>
          <code className="font-mono text-2xs text-ink-3 max-md:hidden">{action}</code>
          <span className="w-24 shrink-0 text-right max-sm:w-16 text-ink-3 text-xs">
            <When date={at} now={now} timezone={timezone} />
          </span>
        </summary>
        <div className="grid gap-3 px-4 pt-1 pb-4 pl-11">
          <Facts
            facts={[
              ['Event', `${number} · ${action}`],
              ['When', `${formatWhen(at, timezone)} (${timezone})`],
              [
                'Who',
                actor.kind === 'member' && names.has(actor.id) ? (
                  <TextLink key="who" href={`/members/${actor.id}`}>
                    {names.get(actor.id)}
                  </TextLink>
                ) : (
                  `${actor.kind} ${actor.id}`
                ),
              ],
              [
                'What',
                <span key="what">
                  {subject.kind} {page ? <TextLink href={page}>{thing}</TextLink> : thing} ·{' '}
                  <TextLink href={`/audit?${new URLSearchParams({ subject: `${subject.kind}:${subject.id}` })}`}>
                    all of it
                  </TextLink>
                </span>,
              ],
              [
                'Hash',
                <code key="hash" className="break-all font-mono text-2xs">
                  {hash}
                </code>,
              ],
            ]}
          />
          <TextBlock title="Data" text={JSON.stringify(data, null, 2)} />
        </div>
      </details>
    </li>
  )
}

function TextLink({ href, children }: { href: string; children: React.ReactNode }) {
  return (
    <Link href={href} className="text-accent-strong underline underline-offset-2">
      {children}
    </Link>
  )
}

/** Where a kind of thing has a page of each, in an area of that address. */
const detailed: Record<string, string> = {
  member: '/members',
  agent: '/agents',
  run: '/runs',
  secret: '/secrets',
  question: '/approvals',
}
const listed: Record<string, string> = {
  'api-key': '/api-keys',
  invitation: '/members',
  channel: '/channels',
  scope: '/secrets',
  rule: '/policies',
  profile: '/policies',
}

function pageOf({ kind, id }: { kind: string; id: string }): string | null {
  const area = detailed[kind] ?? listed[kind]
  if (!area || !areas.some(({ href }) => href === area)) return null
  return detailed[kind] ? `${area}/${encodeURIComponent(id)}` : area
}
