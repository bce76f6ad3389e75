import type { FieldLine } from '../../../api/describe-fields.ts'

/** Fields, a line each; in words that break rather than scroll, so that it can be read on a phone. */
export function FieldTable({ title, lines, isAnswer }: { title: string; lines: FieldLine[]; isAnswer?: boolean }) {
  if (!lines.length) return null
  return (
    <div className="min-w-0">
      <p className="mb-1 font-medium text-ink-3 text-xs">{title}</p>
      <dl className="divide-y divide-line border-line border-y">
        {lines.map(({ name, type, required, description }) => (
          <div
            key={name}
            className="grid gap-x-4 gap-y-0.5 py-1.5 text-xs sm:grid-cols-[minmax(0,220px)_minmax(0,1fr)]"
          >
            <dt className="min-w-0 break-words font-mono">{name}</dt>
            <dd className="min-w-0 break-words">
              <span className="text-ink-2">{type.replaceAll('`', '')}</span>
              {isAnswer ? !required && <span className="text-ink-3">, not always</span> : null}
              {!isAnswer && required && <span className="text-warn">, required</span>}
              {description && <span className="text-ink-3"> · {description.replaceAll('`', '')}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
