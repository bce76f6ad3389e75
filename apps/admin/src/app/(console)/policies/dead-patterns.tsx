import type { DeadEntry } from '../../../policy/find-dead.ts'

/** What an owner wrote down and does not get. Nothing where there is no such thing. */
export function DeadPatterns({ dead, where }: { dead: readonly DeadEntry[]; where: string }) {
  if (!dead.length) return null
  const title = `${dead.length} dead pattern${dead.length === 1 ? '' : 's'}`
  return (
    <section aria-label={title} className="min-w-0 rounded-[10px] border border-warn/60 bg-panel px-4 py-3 shadow-lift">
      <h2 className="font-semibold text-sm">{title}</h2>
      <p className="text-ink-3 text-xs">
        {dead.length === 1 ? 'It stands' : 'They stand'} in the {where} and {dead.length === 1 ? 'does' : 'do'} nothing.
      </p>
      <ul className="mt-1.5 grid gap-1">
        {dead.slice(0, 20).map(({ path, pattern, place, reason }) => (
          <li key={path} className="min-w-0 break-words text-ink-2">
            <code className="font-mono text-xs">{pattern}</code> in <b className="font-medium text-ink">{place}</b>{' '}
            {reason}.
          </li>
        ))}
        {dead.length > 20 && <li className="text-ink-3">and {dead.length - 20} more</li>}
      </ul>
    </section>
  )
}
