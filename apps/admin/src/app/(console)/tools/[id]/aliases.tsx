import type { RegisteredTool } from '@quartermaster/db'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { toolKit } from '../../../../tool-kit.ts'

/** Other systems' names for it, and what they call its arguments. */
export function Aliases({ tool }: { tool: RegisteredTool }) {
  if (!tool.aliases.length) return null
  const known = toolKit.describeBuiltinTools().find(({ name }) => name === tool.name)?.aliases ?? []
  return (
    <Card className="pb-3">
      <CardHeader title="Aliases" about="Prompts, policies and clients made for other systems may use these." />
      <ul className="grid gap-2 px-4">
        {tool.aliases.map((name) => {
          const alias = known.find((candidate) => candidate.name === name)
          const renamed = Object.entries(alias?.arguments ?? {}).map(([theirs, ours]) => `${theirs} → ${ours}`)
          const preset = Object.entries(alias?.defaults ?? {}).map(
            ([ours, value]) => `${ours} = ${JSON.stringify(value)}`,
          )
          return (
            <li key={name}>
              <code className="font-mono text-xs">{name}</code>
              {alias && <span className="ml-1.5 text-2xs text-ink-3">{alias.system}</span>}
              <p className="break-words font-mono text-ink-3 text-xs empty:hidden">
                {[...renamed, ...preset].join(', ')}
              </p>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
