import { Scale } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { Button } from '../../../../components/button.tsx'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { EmptyState } from '../../../../components/empty-state.tsx'
import { Tag } from '../../../../components/tag.tsx'
import { asRule } from '../../../../policy/check-rule.ts'
import { withContent } from '../../../../policy/compile-policy.ts'
import { describeApproval, describeConditions } from '../../../../policy/describe-rule.ts'
import { readPolicyView } from '../../../../policy/read-policy.ts'
import { requireMember } from '../../../../session.ts'
import { toolKit } from '../../../../tool-kit.ts'
import { Frame } from '../frame.tsx'
import { RuleButtons } from './rule-buttons.tsx'

export const metadata: Metadata = { title: 'Rules' }

const countExamples = (count: number) => `${count || 'no'} example${count === 1 ? '' : 's'}`

const tones = { allow: 'ok', ask: 'wait', deny: 'bad' } as const

export default async function RulesPage() {
  const view = await readPolicyView(await requireMember('viewer'))
  const { rules } = view.content
  const shadows = new Map(
    toolKit
      .findShadowedRules(
        [...view.installation.rules, ...rules.map((rule) => asRule(rule, rule.id))],
        view.tools.list(),
        withContent(view.stored, view.content).config.groups,
      )
      .map(({ id, by }) => [id, by.name]),
  )
  return (
    <Frame view={view} chosen="/policies/rules">
      <Card aria-labelledby="rules">
        <CardHeader
          id="rules"
          title="Rules"
          about="A rule that matches decides instead of the hook. Of all that match, the strictest wins: deny, then ask, then allow. Their order is for reading."
        >
          {view.mayEdit && (
            <Button look="primary" asChild>
              <Link href="/policies/rules/new">New rule</Link>
            </Button>
          )}
        </CardHeader>
        {rules.length === 0 && (
          <EmptyState icon={Scale} title="No rules yet">
            A rule looks at the arguments of a call: “ask before git push”, “never read secrets”, “only these hosts”.
          </EmptyState>
        )}
        <ol>
          {rules.map((rule, at) => (
            <li key={rule.id} className="flex flex-wrap items-start gap-x-3 gap-y-2 border-line border-t px-4 py-2.5">
              <div className="min-w-0 flex-1 basis-64">
                <p className="flex flex-wrap items-center gap-2">
                  <Link href={`/policies/rules/${rule.id}`} className="font-medium text-ink hover:underline">
                    {rule.name}
                  </Link>
                  <Tag tone={tones[rule.decision]}>{rule.decision}</Tag>
                  {!rule.enabled && <Tag>off</Tag>}
                </p>
                <p className="min-w-0 break-words font-mono text-ink-2 text-xs">
                  {rule.pattern}
                  {describeConditions(rule.conditions)}
                </p>
                <p className="text-ink-3 text-xs">
                  {[
                    ...describeApproval(rule.approval),
                    countExamples(rule.mustMatch.length + rule.mustNotMatch.length),
                    rule.note,
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </p>
                {shadows.has(rule.id) && (
                  <p className="text-warn text-xs">
                    Never decides: “{shadows.get(rule.id)}” is stricter and matches whenever this one does.
                  </p>
                )}
              </div>
              {view.mayEdit && (
                <RuleButtons
                  seen={view.seen}
                  id={rule.id}
                  name={rule.name}
                  enabled={rule.enabled}
                  isFirst={at === 0}
                  isLast={at === rules.length - 1}
                />
              )}
            </li>
          ))}
        </ol>
      </Card>
    </Frame>
  )
}
