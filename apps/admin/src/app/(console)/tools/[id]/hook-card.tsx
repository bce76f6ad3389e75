import type { RegisteredTool } from '@quartermaster/db'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { Facts } from '../../../../components/facts.tsx'
import type { StoredHooks } from '../queries.ts'
import type { WorkspaceTools } from '../read-policy.ts'
import { hookWords } from '../words.ts'
import { HookForm } from './hook-form.tsx'

interface HookCardProps {
  tool: RegisteredTool
  stored: StoredHooks
  /** Null: the policy cannot be read. */
  ofWorkspace: WorkspaceTools | null
  mayChange: boolean
}

const verdicts = { allow: 'allows', ask: 'asks', deny: 'denies' }

/** How an allowed call runs: what the tool brings, what this workspace says, and what goes before both. */
export function HookCard({ tool, stored, ofWorkspace, mayChange }: HookCardProps) {
  const isMatch = (pattern: string) => ofWorkspace?.isMeant(pattern, tool) ?? false
  const own = stored.hooks.find(({ pattern, conditions }) => pattern === tool.name && !conditions?.length)
  const others = stored.hooks.filter((hook) => hook !== own && isMatch(hook.pattern))
  const matching = (ofWorkspace?.rules ?? []).filter((rule) => rule.enabled && isMatch(rule.pattern))
  const byEffect = tool.effect === 'read' ? 'silent' : tool.effect === 'write' ? 'log' : 'confirm'
  return (
    <Card className="pb-3">
      <CardHeader title="How a call of it runs" />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 px-4">
        <Facts
          facts={[
            ['By default', hookWords[tool.hook ?? byEffect]],
            ['Here', own ? hookWords[own.hook] : others.length ? 'See below' : 'As by default'],
          ]}
        />
        {mayChange && (
          <HookForm
            key={stored.updatedAt?.toISOString() ?? ''}
            toolId={tool.id}
            hook={own?.hook ?? 'default'}
            seen={stored.updatedAt?.toISOString() ?? ''}
          />
        )}
        {(others.length > 0 || matching.length > 0) && (
          <ul className="grid gap-1 text-ink-2 text-xs">
            {matching.map((rule) => (
              <li key={rule.id}>
                The rule “{rule.name}” ({rule.pattern}) {verdicts[rule.verdict]}
                {rule.conditions?.length ? ' where its conditions hold' : ''}.
              </li>
            ))}
            {others.map(({ pattern, hook, conditions }) => (
              <li key={`${pattern} ${hook}`}>
                The hook {pattern}
                {conditions?.length ? ' (with conditions)' : ''}: {hookWords[hook].toLowerCase()}.
              </li>
            ))}
          </ul>
        )}
        <p className="text-ink-3 text-xs">
          What is said of the tool by its own name goes before what is said of file.*, a group or *. A rule that matches
          a call goes before every hook, and of several the strictest counts. Then the agent’s autonomy raises or lowers
          it, and after strangers’ content was read, whatever leaves the house asks.
        </p>
      </div>
    </Card>
  )
}
