'use client'

import { useState } from 'react'
import { fieldProps } from '../components/field.tsx'
import { Input, Select, TextArea } from '../components/input.tsx'
import { defaultText, FieldFrame } from './field-frame.tsx'
import { mistakesBelow } from './mistakes.ts'
import { idOf, type Place } from './place.ts'

const mono = 'font-mono text-xs'

/** What is emptied is left out where it may be, and the empty text where it must be there. */
export function TextField({ long, ...place }: Place & { long: boolean }) {
  const { value, onChange, required, schema } = place
  const text = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  const mistake = place.mistakes[place.pointer]
  const shared = {
    ...fieldProps(idOf(place), mistake),
    value: text,
    'aria-required': required || undefined,
    placeholder: defaultText(schema.default),
    spellCheck: false,
    onChange: (event: { target: { value: string } }) =>
      onChange(
        event.target.value === '' && (!required || Number(schema.minLength ?? 0) > 0) ? undefined : event.target.value,
      ),
  }
  return (
    <FieldFrame {...place} mistake={mistake}>
      {long || text.includes('\n') ? (
        <TextArea {...shared} rows={Math.min(12, Math.max(3, text.split('\n').length))} className={mono} />
      ) : (
        <Input {...shared} autoComplete="off" />
      )}
    </FieldFrame>
  )
}

/** What is no number stays as it was typed: it is said here, and by the server. */
export function NumberField({ whole, ...place }: Place & { whole: boolean }) {
  const { value, onChange, schema } = place
  const [typed, setTyped] = useState('')
  const shown = value === undefined ? '' : parseNumber(typed) === value ? typed : String(value)
  const mistake =
    place.mistakes[place.pointer] ??
    (value !== undefined && typeof value !== 'number' ? `Expected a ${whole ? 'whole ' : ''}number.` : undefined)
  return (
    <FieldFrame {...place} mistake={mistake}>
      <Input
        {...fieldProps(idOf(place), mistake)}
        inputMode={whole ? 'numeric' : 'decimal'}
        autoComplete="off"
        aria-required={place.required || undefined}
        placeholder={defaultText(schema.default)}
        value={shown}
        onChange={(event) => {
          setTyped(event.target.value)
          onChange(event.target.value.trim() === '' ? undefined : parseNumber(event.target.value))
        }}
        className="sm:max-w-56"
      />
    </FieldFrame>
  )
}

const parseNumber = (text: string): number | string => {
  const number = Number(text)
  return text.trim() !== '' && Number.isFinite(number) ? number : text
}

/** A box to tick where it is one of two; a list where "not said" is a third. */
export function BooleanField(place: Place) {
  const { value, onChange, schema, required } = place
  if (!required && schema.default === undefined) return <ChoiceField {...place} values={[true, false]} />
  const mistake = place.mistakes[place.pointer]
  const props = fieldProps(idOf(place), mistake)
  return (
    <div className="grid gap-1">
      <label htmlFor={props.id} className="flex min-h-6 w-fit items-center gap-2 font-medium max-sm:min-h-10">
        <input
          {...props}
          type="checkbox"
          checked={(value ?? schema.default) === true}
          onChange={(event) => onChange(event.target.checked)}
          className="size-4 shrink-0 accent-accent"
        />
        {place.label}
      </label>
      <p id={`${props.id}-note`} className={mistake ? 'text-bad text-xs' : 'text-ink-3 text-xs empty:hidden'}>
        {mistake ?? (typeof schema.description === 'string' ? schema.description : null)}
      </p>
    </div>
  )
}

export function ChoiceField({ values, ...place }: Place & { values: readonly unknown[] }) {
  const { value, onChange, schema, required } = place
  const mistake = place.mistakes[place.pointer]
  const chosen = values.findIndex((candidate) => JSON.stringify(candidate) === JSON.stringify(value))
  const unset =
    schema.default === undefined ? (required ? 'Choose…' : 'Not set') : `Default: ${optionText(schema.default)}`
  return (
    <FieldFrame {...place} mistake={mistake}>
      <Select
        {...fieldProps(idOf(place), mistake)}
        aria-required={required || undefined}
        value={chosen < 0 ? '' : String(chosen)}
        onChange={(event) => onChange(event.target.value === '' ? undefined : values[Number(event.target.value)])}
      >
        <option value="">{chosen < 0 && value !== undefined ? `Not one of these: ${optionText(value)}` : unset}</option>
        {values.map((candidate, index) => (
          <option key={JSON.stringify(candidate)} value={index}>
            {optionText(candidate)}
          </option>
        ))}
      </Select>
    </FieldFrame>
  )
}

const optionText = (value: unknown) =>
  value === true
    ? 'yes'
    : value === false
      ? 'no'
      : typeof value === 'string'
        ? value || '(empty)'
        : JSON.stringify(value)

export function ConstantField({ constant, ...place }: Place & { constant: unknown }) {
  const { value, onChange, required } = place
  if (!required) return <ChoiceField {...place} values={[constant]} />
  const mistake = place.mistakes[place.pointer]
  const differs = JSON.stringify(value) !== JSON.stringify(constant)
  return (
    <FieldFrame {...place} mistake={mistake}>
      <Input
        {...fieldProps(idOf(place), mistake)}
        readOnly
        value={optionText(constant)}
        onFocus={() => differs && onChange(constant)}
      />
    </FieldFrame>
  )
}

/** What no other field can express, as JSON; what is no JSON stays here until it is one. */
export function JsonField({ rows = 3, ...place }: Place & { rows?: number }) {
  const { value, onChange } = place
  const [typed, setTyped] = useState<{ text: string; value: unknown } | null>(null)
  const text =
    typed && Object.is(typed.value, value) ? typed.text : value === undefined ? '' : JSON.stringify(value, null, 2)
  const parsed = parseJson(text)
  const told = mistakesBelow(place.mistakes, place.pointer).map(([, message]) => message)
  const mistake = parsed.ok ? told.join(' ') || undefined : parsed.mistake
  return (
    <FieldFrame {...place} mistake={mistake}>
      <TextArea
        {...fieldProps(idOf(place), mistake)}
        value={text}
        rows={Math.min(16, Math.max(rows, text.split('\n').length))}
        spellCheck={false}
        className={mono}
        onChange={(event) => {
          const next = parseJson(event.target.value)
          // What is no JSON goes on as the text it is, so that nothing else is taken for what stands here.
          const nextValue = next.ok ? next.value : event.target.value
          setTyped({ text: event.target.value, value: nextValue })
          onChange(nextValue)
        }}
      />
    </FieldFrame>
  )
}

function parseJson(text: string): { ok: true; value: unknown } | { ok: false; mistake: string } {
  if (text.trim() === '') return { ok: true, value: undefined }
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return { ok: false, mistake: `This is not JSON: ${(error as Error).message}` }
  }
}
