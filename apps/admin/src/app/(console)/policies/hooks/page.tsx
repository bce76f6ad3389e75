import { Webhook } from 'lucide-react'
import type { Metadata } from 'next'
import { Button } from '../../../../components/button.tsx'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { ConfirmButton } from '../../../../components/confirm-button.tsx'
import { EmptyState } from '../../../../components/empty-state.tsx'
import { Tag } from '../../../../components/tag.tsx'
import { describeCondition } from '../../../../policy/describe-rule.ts'
import { readPolicyView } from '../../../../policy/read-policy.ts'
import { requireMember } from '../../../../session.ts'
import { deleteHookRule } from '../edit-actions.ts'
import { EditToggle } from '../edit-toggle.tsx'
import { Frame } from '../frame.tsx'
import { PatternTag } from '../pattern-tags.tsx'
import { HookForm } from './hook-form.tsx'

export const metadata: Metadata = { title: 'Hooks' }

const tones = { confirm: 'wait', log: 'accent', silent: 'mute' } as const

export default async function HooksPage() {
  const view = await readPolicyView(await requireMember('viewer'))
  const { hooks } = view.content.settings
  const about =
    'How an allowed call runs where no rule says. The most specific pattern wins; without a hook the tool’s own default counts: a read is silent, a write is logged, the rest asks.'
  return (
    <Frame view={view} chosen="/policies/hooks">
      {view.mayEdit && (
        <Card aria-label="A new hook">
          <div className="sm:pr-32">
            <CardHeader title="Hooks" about={about} />
          </div>
          <EditToggle label="Add a hook">
            <HookForm seen={view.seen} at={null} hook={null} />
          </EditToggle>
        </Card>
      )}
      {!view.mayEdit && <p className="text-ink-3 text-xs">{about}</p>}
      {hooks.length === 0 && (
        <EmptyState icon={Webhook} title="No hooks">
          Every tool runs as it says of itself. A hook can have it ask, be logged, or run silently.
        </EmptyState>
      )}
      <ul className="grid gap-2">
        {hooks.map((hook, at) => (
          // Where it stands is all that a hook is known by.
          // biome-ignore lint/suspicious/noArrayIndexKey: as above.
          <li key={`${at} ${JSON.stringify(hook)}`}>
            <Card aria-label={`Hook ${at + 1}: ${hook.pattern}`}>
              <div className="flex min-h-12 min-w-0 flex-wrap items-center gap-2 px-4 py-2.5 sm:pr-24">
                <Tag tone={tones[hook.hook]}>{hook.hook}</Tag>
                <PatternTag pattern={hook.pattern} />
                {(hook.conditions ?? []).map((condition) => (
                  <span key={JSON.stringify(condition)} className="min-w-0 break-words text-ink-3">
                    where {describeCondition(condition)}
                  </span>
                ))}
                {hook.insist && <span className="text-ink-3">also of an autonomous agent</span>}
              </div>
              {view.mayEdit && (
                <EditToggle label={`Edit hook ${at + 1}: ${hook.pattern}`} short="Edit">
                  <HookForm seen={view.seen} at={at} hook={hook} />
                  <div className="flex justify-end px-4 pb-4">
                    <ConfirmButton
                      action={deleteHookRule}
                      fields={{ seen: view.seen, at: String(at) }}
                      title={`Delete the hook of ${hook.pattern}?`}
                      about="When the draft is published, the next hook that matches counts, or the tool’s own default."
                      confirm="Delete it"
                      trigger={
                        <Button look="danger" size="small" className="max-sm:h-10">
                          Delete the hook of {hook.pattern}…
                        </Button>
                      }
                    />
                  </div>
                </EditToggle>
              )}
            </Card>
          </li>
        ))}
      </ul>
    </Frame>
  )
}
