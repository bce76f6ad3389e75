'use client'

import type { DraftRule } from '@quartermaster/db'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { ActionForm } from '../../../../../components/action-form.tsx'
import { Field, fieldProps } from '../../../../../components/field.tsx'
import { Input, Select, TextArea } from '../../../../../components/input.tsx'
import { ApprovalFields, Check } from '../../approval-fields.tsx'
import { ConditionsField } from '../../conditions-field.tsx'
import { saveDraftRule } from '../../edit-actions.ts'
import { MatchCount, PatternInput } from '../../pattern-input.tsx'
import { readCondition, typeCondition } from '../../typed-condition.ts'
import { ExamplesField, readExample, type TypedExample, typeExample } from './examples-field.tsx'
import { useCheckedRule } from './use-checked-rule.ts'

interface RuleEditorProps {
  seen: string
  /** Null: a new one. */
  rule: DraftRule | null
  members: { id: string; name: string }[]
}

export function RuleEditor({ seen, rule, members }: RuleEditorProps) {
  const router = useRouter()
  const [name, setName] = useState(rule?.name ?? '')
  const [pattern, setPattern] = useState(rule?.pattern ?? '')
  const [decision, setDecision] = useState<DraftRule['decision']>(rule?.decision ?? 'ask')
  const [conditions, setConditions] = useState(() => (rule?.conditions ?? []).map(typeCondition))
  const [approval, setApproval] = useState(rule?.approval ?? {})
  const [must, setMust] = useState<TypedExample[]>(() => (rule?.mustMatch ?? []).map(typeExample))
  const [mustNot, setMustNot] = useState<TypedExample[]>(() => (rule?.mustNotMatch ?? []).map(typeExample))
  const [note, setNote] = useState(rule?.note ?? '')
  const [enabled, setEnabled] = useState(rule?.enabled ?? true)
  // An example that is no JSON yet is not sent to be checked; it is told beside it, and keeps the rule from being saved.
  const unreadable = [...must, ...mustNot].filter((example) => readExample(example) === null).length
  const whole = {
    ...(rule ? { id: rule.id } : {}),
    name,
    pattern: pattern.trim(),
    decision,
    conditions: conditions.map(readCondition),
    approval: decision === 'ask' ? approval : {},
    mustMatch: must.flatMap((example) => readExample(example) ?? []),
    mustNotMatch: mustNot.flatMap((example) => readExample(example) ?? []),
    enabled,
    note,
  }
  const checked = useCheckedRule(whole)
  return (
    <ActionForm action={saveDraftRule} submit="Save to the draft" onDone={() => router.push('/policies/rules')}>
      {(mistakes) => (
        <>
          <input type="hidden" name="seen" value={seen} />
          {/* One that is unreadable is sent as such, so that nothing is saved without it. */}
          <input
            type="hidden"
            name="rule"
            value={JSON.stringify(unreadable ? { ...whole, mustMatch: 'unreadable' } : whole)}
          />
          <div className="grid gap-4 sm:grid-cols-[1fr_1fr_10rem]">
            <Field id="rule-name" label="Name" mistake={mistakes.name}>
              <Input
                {...fieldProps('rule-name', mistakes.name)}
                name={undefined}
                value={name}
                onChange={({ target }) => setName(target.value)}
                maxLength={120}
                autoComplete="off"
              />
            </Field>
            <Field id="rule-pattern" label="Tools" mistake={mistakes.pattern} hint={<MatchCount pattern={pattern} />}>
              <PatternInput
                {...fieldProps('rule-pattern', mistakes.pattern)}
                name={undefined}
                value={pattern}
                onChange={({ target }) => setPattern(target.value)}
              />
            </Field>
            <Field id="rule-decision" label="A call that matches" mistake={mistakes.decision}>
              <Select
                {...fieldProps('rule-decision', mistakes.decision)}
                name={undefined}
                value={decision}
                onChange={({ target }) => setDecision(target.value as DraftRule['decision'])}
              >
                <option value="allow">is allowed</option>
                <option value="ask">asks</option>
                <option value="deny">is denied</option>
              </Select>
            </Field>
          </div>
          <ConditionsField
            conditions={conditions}
            onChange={setConditions}
            paths={checked?.paths ?? []}
            mistake={mistakes.conditions ?? checked?.problems.join(' ')}
          />
          {checked?.shadowedBy && (
            <p className="text-warn text-xs">
              Never decides: “{checked.shadowedBy}” is stricter and matches whenever this one does.
            </p>
          )}
          <div className="grid gap-4 sm:grid-cols-2">
            <ExamplesField
              label="Must match"
              examples={must}
              onChange={setMust}
              hold={checked?.mustMatch}
              paths={checked?.paths ?? []}
            />
            <ExamplesField
              label="Must not match"
              examples={mustNot}
              onChange={setMustNot}
              hold={checked?.mustNotMatch}
              paths={checked?.paths ?? []}
            />
          </div>
          {(mistakes.examples ?? mistakes.mustMatch ?? mistakes.mustNotMatch) && (
            <p role="alert" className="text-bad text-xs">
              {mistakes.examples ?? mistakes.mustMatch ?? mistakes.mustNotMatch}
            </p>
          )}
          {decision === 'ask' && (
            <details open={Boolean(rule && Object.keys(rule.approval).length) || undefined}>
              <summary className="w-fit font-medium text-sm">Who answers, how many must, what silence means</summary>
              <div className="mt-3">
                <ApprovalFields
                  value={approval}
                  onChange={setApproval}
                  inherited="As the agent or the workspace says"
                  members={members}
                  mistake={mistakes.approval}
                />
              </div>
            </details>
          )}
          <Field
            id="rule-note"
            label="Note"
            hint="On the card and in the trail: why the rule is there."
            mistake={mistakes.note}
          >
            <TextArea
              {...fieldProps('rule-note', mistakes.note)}
              name={undefined}
              rows={2}
              value={note}
              onChange={({ target }) => setNote(target.value)}
              maxLength={2_000}
            />
          </Field>
          <Check label="Switched on" checked={enabled} onChange={setEnabled} />
        </>
      )}
    </ActionForm>
  )
}
