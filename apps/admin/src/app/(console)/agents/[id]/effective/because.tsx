import type { ToolDecision } from '../../../../../agents/decide-tools.ts'
import { Tag } from '../../../../../components/tag.tsx'
import { verdictWords } from './verdict.tsx'

/** The reason that decided, and all of them behind it. */
export function Because({ decision, name }: { decision: ToolDecision; name: string }) {
  const { trail, byArguments } = decision
  const last = trail.at(-1)
  return (
    <details className="group">
      <summary className="relative list-none text-ink-2 group-open:text-ink-3">
        <span className="sr-only">Why {name}: </span>
        {last?.reason}
        <span className="ml-1.5 text-accent-strong text-xs group-open:hidden">
          {trail.length > 1 ? 'whole trail' : ''}
        </span>
        {byArguments.length > 0 && (
          <span className="ml-1.5">
            <Tag>by arguments</Tag>
          </span>
        )}
      </summary>
      <ol className="mt-1 grid gap-0.5 text-xs">
        {trail.map(({ layer, verdict, reason }) => (
          <li key={`${layer} ${reason}`} className="relative flex gap-2">
            <span
              aria-hidden="true"
              className={verdict === 'allow' ? 'text-ok' : verdict === 'ask' ? 'text-wait' : 'text-bad'}
            >
              {verdict === 'allow' ? '✓' : verdict === 'ask' ? '?' : '✕'}
            </span>
            <span className="sr-only">{verdictWords[verdict]}:</span>
            {reason}
          </li>
        ))}
        {byArguments.map((rule) => (
          <li key={rule.name} className="text-ink-3">
            By its arguments, the rule “{rule.name}” may {rule.verdict === 'ask' ? 'ask' : rule.verdict} instead.
          </li>
        ))}
      </ol>
    </details>
  )
}
