import { ArrowLeft } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { forbidden, notFound } from 'next/navigation'
import { Button } from '../../../../../components/button.tsx'
import { Card, CardHeader } from '../../../../../components/card.tsx'
import { ConfirmButton } from '../../../../../components/confirm-button.tsx'
import { Facts } from '../../../../../components/facts.tsx'
import { describeApproval, describeRule } from '../../../../../policy/describe-rule.ts'
import { readPolicyView } from '../../../../../policy/read-policy.ts'
import { requireMember } from '../../../../../session.ts'
import { deleteDraftRule } from '../../edit-actions.ts'
import { Frame } from '../../frame.tsx'
import { listMembers } from '../../list-members.ts'
import { RuleEditor } from './rule-editor.tsx'

export const metadata: Metadata = { title: 'A rule' }

/** One rule, or a new one at `/policies/rules/new`. */
export default async function RulePage({ params }: { params: Promise<{ id: string }> }) {
  const view = await readPolicyView(await requireMember('viewer'))
  const { id } = await params
  const rule = view.content.rules.find((each) => each.id === id)
  if (!rule && id !== 'new') notFound()
  if (!rule && !view.mayEdit) forbidden()
  const title = rule?.name ?? 'A new rule'
  return (
    <Frame view={view} chosen="/policies/rules">
      <Link href="/policies/rules" className="flex w-fit items-center gap-1 text-ink-3 hover:text-ink">
        <ArrowLeft aria-hidden="true" className="size-3.5" />
        All rules
      </Link>
      <Card aria-label={title}>
        <CardHeader title={title} about={rule?.note || undefined}>
          {rule && view.mayEdit && (
            <ConfirmButton
              action={deleteDraftRule}
              fields={{ seen: view.seen, id: rule.id }}
              title={`Delete the rule “${rule.name}”?`}
              about="It goes when the draft is published. Until then it holds as it is."
              confirm="Delete it"
              trigger={
                <Button look="danger" size="small" className="max-sm:h-10">
                  Delete…
                </Button>
              }
            />
          )}
        </CardHeader>
        {view.mayEdit ? (
          <RuleEditor seen={view.seen} rule={rule ?? null} members={await listMembers(view.workspaceId)} />
        ) : (
          rule && (
            <div className="px-4 pt-1 pb-4">
              <Facts
                facts={[
                  [
                    'Rule',
                    <code key="rule" className="font-mono text-xs">
                      {describeRule(rule)}
                    </code>,
                  ],
                  ['Approval', describeApproval(rule.approval).join('; ')],
                  ['Must match', examples(rule.mustMatch)],
                  ['Must not match', examples(rule.mustNotMatch)],
                  ['State', rule.enabled ? 'on' : 'off'],
                ]}
              />
            </div>
          )
        )}
      </Card>
    </Frame>
  )
}

const examples = (list: readonly { tool?: string | undefined; arguments: unknown }[]) =>
  list.length ? (
    <ul className="font-mono text-xs">
      {list.map((example) => (
        <li key={JSON.stringify(example)} className="break-words">
          {example.tool} {JSON.stringify(example.arguments)}
        </li>
      ))}
    </ul>
  ) : null
