'use client'

import { Plus, X } from 'lucide-react'
import { useId } from 'react'
import { Button } from '../../../components/button.tsx'
import { Input, Select } from '../../../components/input.tsx'
import { type ConditionKind, conditionKinds, hints, newCondition, type TypedCondition } from './typed-condition.ts'

interface ConditionsFieldProps {
  conditions: readonly TypedCondition[]
  onChange(conditions: TypedCondition[]): void
  /** Arguments that the matched tools take. */
  paths: readonly string[]
  mistake?: string | undefined
}

/** The conditions of a rule or a hook, all of which must hold. */
export function ConditionsField({ conditions, onChange, paths, mistake }: ConditionsFieldProps) {
  const id = useId()
  const put = (at: number, change: Partial<TypedCondition>) =>
    onChange(conditions.map((condition, index) => (index === at ? { ...condition, ...change } : condition)))
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 font-medium text-sm">Where all of this holds</legend>
      {conditions.length === 0 && <p className="text-ink-3 text-xs">No conditions: every call of these tools.</p>}
      {conditions.map((condition, at) => {
        const which = `Condition ${at + 1}`
        return (
          <div key={condition.key} className="grid gap-2 sm:grid-cols-[1fr_auto_1.2fr_2fr_auto] sm:items-center">
            <Input
              aria-label={`${which}: argument`}
              placeholder="command"
              list={`${id}-paths`}
              value={condition.path}
              onChange={({ target }) => put(at, { path: target.value })}
              autoComplete="off"
              spellCheck={false}
              maxLength={200}
              className="font-mono"
            />
            <Select
              aria-label={`${which}: does or does not`}
              value={String(condition.not)}
              onChange={({ target }) => put(at, { not: target.value === 'true' })}
              disabled={condition.kind === 'json'}
            >
              <option value="false">does</option>
              <option value="true">does not</option>
            </Select>
            <Select
              aria-label={`${which}: how`}
              value={condition.kind}
              onChange={({ target }) => put(at, { kind: target.value as ConditionKind })}
            >
              {Object.entries(conditionKinds).map(([kind, label]) => (
                <option key={kind} value={kind}>
                  {label}
                </option>
              ))}
            </Select>
            <Input
              aria-label={`${which}: value`}
              placeholder={hints[condition.kind]}
              value={condition.text}
              onChange={({ target }) => put(at, { text: target.value })}
              disabled={condition.kind === 'present'}
              autoComplete="off"
              spellCheck={false}
              className="font-mono"
            />
            <Button
              look="ghost"
              size="icon"
              aria-label={`Take ${which.toLowerCase()} away`}
              onClick={() => onChange(conditions.filter((_, index) => index !== at))}
              className="text-ink-3 hover:text-bad max-sm:size-10"
            >
              <X aria-hidden="true" />
            </Button>
          </div>
        )
      })}
      <datalist id={`${id}-paths`}>
        {paths.map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
      {mistake && <p className="text-bad text-xs">{mistake}</p>}
      <Button size="small" className="w-fit max-sm:h-10" onClick={() => onChange([...conditions, newCondition()])}>
        <Plus aria-hidden="true" /> Add a condition
      </Button>
    </fieldset>
  )
}
