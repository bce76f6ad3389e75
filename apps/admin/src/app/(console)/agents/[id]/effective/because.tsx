import Link from 'next/link'
import type { ByArguments, ToolDecision } from '../../../../../agents/decide-tools.ts'
import { Tag } from '../../../../../components/tag.tsx'
import { Trail } from '../../../../../components/trail.tsx'
import type { PlaceOfReason } from '../../../../../policy/place-of-reason.ts'

interface BecauseProps {
  decision: ToolDecision
  /** Of the tool. */
  name: string
  placeOf(entry: ToolDecision['trail'][number]): PlaceOfReason | null
  mayEdit: boolean
}

/** The reason that decided, and all of them behind it, each with the way to where it is written. */
export function Because({ decision, name, placeOf, mayEdit }: BecauseProps) {
  const { trail, byArguments } = decision
  const last = trail.at(-1)
  // The one that is mended most often, and in one step.
  const attach = mayEdit && last?.layer === 'attachment' && last.verdict === 'deny' ? placeOf(last) : null
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-3">
      <details className="group min-w-0 flex-1">
        <summary className="relative list-none text-ink-2 group-open:text-ink-3">
          <span className="sr-only">Why {name}: </span>
          {last?.reason}
          <span className="ml-1.5 text-accent-strong text-xs group-open:hidden">
            {trail.length > 1 ? 'whole trail' : 'more'}
          </span>
          {byArguments.length > 0 && (
            <span className="ml-1.5">
              <Tag>by arguments</Tag>
            </span>
          )}
        </summary>
        <ol className="mt-1 grid gap-0.5 text-xs">
          <Trail trail={trail.map((entry) => ({ ...entry, place: placeOf(entry) }))} />
          {byArguments.map((other) => (
            <li key={`${other.kind} ${other.name} ${other.verdict}`} className="text-ink-3">
              {describeOther(other)}
            </li>
          ))}
        </ol>
      </details>
      {attach && (
        <Link href={attach.href} prefetch={false} className="relative text-accent-strong text-xs hover:underline">
          Attach…<span className="sr-only"> {name}</span>
        </Link>
      )}
    </div>
  )
}

const says = { allow: 'allow', ask: 'ask', deny: 'deny' } as const
const does = { allow: 'runs', ask: 'asks', deny: 'is denied' } as const
const calls: Record<string, string> = {
  read: 'only reads',
  write: 'writes',
  execute: 'runs something',
  send: 'sends something',
}

function describeOther({ kind, name, verdict }: ByArguments): string {
  if (kind === 'effect') return `A call of it that ${calls[name] ?? name} ${does[verdict]} instead.`
  if (kind === 'hook') return `By its arguments, the hook of ${name} may ${says[verdict]} instead.`
  return `By its arguments, the rule “${name}” may ${says[verdict]} instead.`
}
