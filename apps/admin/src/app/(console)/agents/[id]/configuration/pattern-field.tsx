'use client'

import type { KnownPattern } from '@quartermaster/tools'
import { Field, fieldProps } from '../../../../../components/field.tsx'
import { TextArea } from '../../../../../components/input.tsx'
import type { FieldsProps } from './configuration-form.tsx'
import { toPatterns } from './form-fields.ts'

interface PatternFieldProps extends FieldsProps {
  name: 'toolsAllow' | 'toolsDeny'
  label: string
  hint: string
  /** Every pattern that matches a tool; one that is not in it is dead. */
  vocabulary: KnownPattern[]
}

/** Patterns, one a line, and under them what each matches while it is typed. */
export function PatternField({ name, label, hint, vocabulary, fields, set, mistakes }: PatternFieldProps) {
  const patterns = toPatterns(fields[name])
  const counts = patterns.map((pattern) => ({
    pattern,
    tools: vocabulary.find((known) => known.pattern === pattern)?.tools ?? 0,
  }))
  return (
    <div className="grid gap-1.5">
      <Field id={name} label={label} hint={`${hint} One a line: file.read, file.*, group:fs.`} mistake={mistakes[name]}>
        <TextArea
          {...fieldProps(name, mistakes[name])}
          value={fields[name]}
          onChange={({ target }) => set(name, target.value)}
          rows={Math.min(12, Math.max(2, patterns.length + 1))}
          spellCheck={false}
          autoComplete="off"
          className="font-mono text-xs"
        />
      </Field>
      <ul aria-label={`What “${label}” matches`} className="grid gap-0.5 text-xs empty:hidden">
        {counts.map(({ pattern, tools }) => (
          <li key={pattern} className={tools ? 'text-ink-3' : 'text-warn'}>
            <code className="break-all">{pattern}</code>{' '}
            {tools === 0 ? 'matches no tool' : tools === 1 ? '1 tool' : `${tools} tools`}
          </li>
        ))}
      </ul>
    </div>
  )
}
