'use client'

import { Plus, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Field, fieldProps } from '../../../components/field.tsx'
import { MatchCount, PatternInput } from './pattern-input.tsx'
import { PatternTag } from './pattern-tags.tsx'

interface PatternFieldProps {
  id: string
  /** The field of the form; its text has a pattern a line. */
  name: string
  label: string
  value: readonly string[]
  mistake?: string | undefined
}

/** A list of patterns: each can be taken away, and another one added, with how many tools it matches. */
export function PatternField({ id, name, label, value, mistake }: PatternFieldProps) {
  const [patterns, setPatterns] = useState([...value])
  const [typed, type] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const touched = useRef(false)
  // What nobody has touched here follows what others saved.
  const saved = value.join('\n')
  useEffect(() => {
    if (!touched.current) setPatterns(saved ? saved.split('\n') : [])
  }, [saved])
  const change = (next: string[]) => {
    touched.current = true
    setPatterns(next)
  }
  const add = () => {
    const more = typed.split(/[\s,]+/).filter(Boolean)
    if (more.length) change([...new Set([...patterns, ...more])])
    type('')
    input.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !typed.trim()) return
    // Enter adds what was typed; it does not send the form.
    event.preventDefault()
    add()
  }
  return (
    <Field id={id} label={label} mistake={mistake} hint={<MatchCount pattern={typed} />}>
      <input type="hidden" name={name} value={[...patterns, typed].join('\n')} />
      {patterns.length > 0 && (
        <ul aria-label={label} className="flex flex-wrap gap-1.5">
          {patterns.map((pattern) => (
            <li key={pattern} className="flex min-w-0 items-center rounded-md border border-line-strong bg-panel pl-2">
              <PatternTag pattern={pattern} bare />
              <button
                type="button"
                aria-label={`Take ${pattern} out of ${label}`}
                onClick={() => change(patterns.filter((other) => other !== pattern))}
                className="grid size-7 place-items-center text-ink-3 hover:text-bad max-sm:size-10"
              >
                <X aria-hidden="true" className="size-3.5" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="flex gap-2">
        <PatternInput
          {...fieldProps(id, mistake)}
          name={undefined}
          ref={input}
          value={typed}
          onChange={(event) => type(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <Button onClick={add} disabled={!typed.trim()} aria-label={`Add to ${label}`} className="max-sm:h-10">
          <Plus aria-hidden="true" /> Add
        </Button>
      </div>
    </Field>
  )
}
