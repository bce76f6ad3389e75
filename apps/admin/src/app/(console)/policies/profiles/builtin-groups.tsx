import { Card, CardHeader } from '../../../../components/card.tsx'
import { Tag } from '../../../../components/tag.tsx'
import type { PolicyView } from '../../../../policy/read-policy.ts'
import { toolKit } from '../../../../tool-kit.ts'

/** The groups that nobody made: those of the product, and those that tools name themselves. */
export function BuiltinGroups({ view }: { view: PolicyView }) {
  const tools = view.tools.list()
  const own = new Set(view.content.groups.map(({ name }) => name))
  const names = new Set([...toolKit.builtinGroups.keys(), ...tools.flatMap(({ groups = [] }) => groups)])
  const groups = [...names]
    .filter((group) => !own.has(group))
    .sort()
    .map((group) => ({ group, members: tools.filter((tool) => isIn(group, tool)).map(({ name }) => name) }))
  return (
    <Card aria-labelledby="builtin-groups">
      <CardHeader
        id="builtin-groups"
        title="Groups that are there already"
        about="Of the product, and those that tools name themselves."
      >
        <Tag>built in</Tag>
      </CardHeader>
      <dl className="grid gap-x-4 gap-y-1.5 px-4 pt-1 pb-4 sm:grid-cols-[9rem_minmax(0,1fr)]">
        {groups.map(({ group, members }) => (
          <div key={group} className="contents">
            <dt className="break-all font-mono text-xs">group:{group}</dt>
            <dd className="min-w-0 break-words text-ink-3 text-xs max-sm:mb-2">
              {members.slice(0, 30).join(', ') || 'no tool now'}
              {members.length > 30 && ` and ${members.length - 30} more`}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

function isIn(group: string, tool: { name: string; groups?: readonly string[] }): boolean {
  try {
    return toolKit.matchesTool(`group:${group}`, tool)
  } catch {
    return false // A tool that was brought names its groups as it likes; this name no pattern can have.
  }
}
