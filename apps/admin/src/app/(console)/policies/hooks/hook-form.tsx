'use client'

import type { Condition } from '@quartermaster/db'
import { useState } from 'react'
import { ActionForm } from '../../../../components/action-form.tsx'
import { Field, fieldProps } from '../../../../components/field.tsx'
import { Select } from '../../../../components/input.tsx'
import { ConditionsField } from '../conditions-field.tsx'
import { saveHookRule } from '../edit-actions.ts'
import { useClose } from '../edit-toggle.tsx'
import { MatchCount, PatternInput } from '../pattern-input.tsx'
import { readCondition, typeCondition } from '../typed-condition.ts'

interface HookFormProps {
  seen: string
  /** Where it stands; null: a new one. */
  at: number | null
  hook: {
    pattern: string
    hook: 'confirm' | 'log' | 'silent'
    insist?: boolean | undefined
    conditions?: Condition[] | undefined
  } | null
}

export function HookForm({ seen, at, hook }: HookFormProps) {
  const id = `hook-${at ?? 'new'}`
  const [pattern, setPattern] = useState(hook?.pattern ?? '')
  const [how, setHow] = useState(hook?.hook ?? 'confirm')
  const [conditions, setConditions] = useState(() => (hook?.conditions ?? []).map(typeCondition))
  return (
    <ActionForm action={saveHookRule} submit="Save to the draft" onDone={useClose()}>
      {(mistakes) => (
        <>
          <input type="hidden" name="seen" value={seen} />
          <input type="hidden" name="at" value={at ?? ''} />
          <input type="hidden" name="conditions" value={JSON.stringify(conditions.map(readCondition))} />
          <div className="grid gap-4 sm:grid-cols-2">
            <Field
              id={`${id}-pattern`}
              label="Tools"
              mistake={mistakes.pattern}
              hint={<MatchCount pattern={pattern} />}
            >
              <PatternInput
                {...fieldProps(`${id}-pattern`, mistakes.pattern)}
                name="pattern"
                value={pattern}
                onChange={({ target }) => setPattern(target.value)}
              />
            </Field>
            <Field id={`${id}-how`} label="A call of them" mistake={mistakes.hook}>
              <Select
                {...fieldProps(`${id}-how`, mistakes.hook)}
                name="hook"
                value={how}
                onChange={({ target }) => setHow(target.value as typeof how)}
              >
                <option value="confirm">asks a person</option>
                <option value="log">runs, and is marked in the log</option>
                <option value="silent">runs silently</option>
              </Select>
            </Field>
          </div>
          <ConditionsField conditions={conditions} onChange={setConditions} paths={[]} mistake={mistakes.conditions} />
          {how === 'confirm' && (
            <label className="flex w-fit items-center gap-2 max-sm:min-h-10">
              <input
                type="checkbox"
                name="insist"
                value="yes"
                defaultChecked={hook?.insist}
                className="size-3.5 accent-accent"
              />
              Asks also where the agent is autonomous
            </label>
          )}
        </>
      )}
    </ActionForm>
  )
}
