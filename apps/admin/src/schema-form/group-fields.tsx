'use client'

import { Plus, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../components/button.tsx'
import { fieldProps } from '../components/field.tsx'
import { Input, Select } from '../components/input.tsx'
import { Hint, Required } from './field-frame.tsx'
import { mistakesBelow, pointerTo } from './mistakes.ts'
import { idOf, type Place } from './place.ts'
import { PresetFields, splitPresets } from './preset-fields.tsx'
import { SchemaField } from './schema-field.tsx'
import { chooseAlternative, isSchema, nameOf, type Schema, type Shape, schemaOfExtra, startValue } from './shape.ts'

type ObjectShape = Extract<Shape, { kind: 'object' }>

/** The fields of an object, without a frame: the form itself is one of these. */
export function ObjectFields({ shape, ...place }: Place & { shape: ObjectShape }) {
  const { schema, root, value, onChange, pointer, mistakes } = place
  const object: Schema = isSchema(value) ? value : {}
  const set = (name: string, next: unknown) => {
    const { [name]: _before, ...rest } = object
    if (next === undefined) return onChange(rest)
    // In its old place where it had one, so that the JSON reads the same.
    onChange(Object.hasOwn(object, name) ? { ...object, [name]: next } : { ...rest, [name]: next })
  }
  const { own, groups } = splitPresets(shape.properties)
  const known = new Set(shape.properties.map(([name]) => name))
  const extraSchema = schemaOfExtra(schema, root)
  const extras = Object.keys(object).filter((name) => !known.has(name))
  const shown = new Set([...known, ...extras].map((name) => pointerTo(pointer, name)))
  const homeless = mistakesBelow(mistakes, pointer).filter(
    ([at]) => at === pointer || ![...shown].some((field) => at === field || at.startsWith(`${field}/`)),
  )
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3.5">
      {homeless.map(([at, message]) => (
        <p key={at} role="alert" className="text-bad text-xs">
          {at === pointer ? message : `${at.slice(pointer.length + 1)}: ${message}`}
        </p>
      ))}
      {own.map(([name, property]) => (
        <SchemaField
          key={name}
          {...place}
          schema={{ ...property, 'x-name': name }}
          label={typeof property.title === 'string' ? property.title : name}
          value={Object.hasOwn(object, name) ? object[name] : undefined}
          onChange={(next) => set(name, next)}
          required={shape.required.has(name)}
          pointer={pointerTo(pointer, name)}
        />
      ))}
      {groups.length > 0 && <PresetFields place={place} groups={groups} object={object} set={set} />}
      {(extraSchema !== null || extras.length > 0) && (
        <Extras place={place} object={object} names={extras} schema={extraSchema} set={set} />
      )}
      {shape.properties.length === 0 && extraSchema === null && extras.length === 0 && (
        <p className="text-ink-3 text-xs">It takes nothing.</p>
      )}
    </div>
  )
}

interface ExtrasProps {
  place: Place
  object: Schema
  names: readonly string[]
  /** Null: no more may be added. */
  schema: Schema | null
  set: (name: string, value: unknown) => void
}

/** Keys of the person's own choice, such as HTTP headers. */
function Extras({ place, object, names, schema, set }: ExtrasProps) {
  const [name, setName] = useState('')
  const id = `${idOf(place)}+`
  const add = () => {
    if (name.trim() === '' || Object.hasOwn(object, name)) return
    set(name, startValue(schema ?? {}, place.root) ?? '')
    setName('')
  }
  return (
    <>
      {names.map((extra) => (
        <Removable key={extra} what={extra} onRemove={() => set(extra, undefined)}>
          <SchemaField
            {...place}
            schema={schema ?? {}}
            label={extra}
            value={object[extra]}
            onChange={(next) => set(extra, next === undefined ? '' : next)}
            required={false}
            pointer={pointerTo(place.pointer, extra)}
          />
        </Removable>
      ))}
      {schema !== null && (
        <div className="flex gap-1.5">
          <Input
            id={id}
            aria-label={`A name to add to ${place.label}`}
            placeholder="Name"
            value={name}
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              // Enter adds the name, and does not send the whole form.
              event.preventDefault()
              add()
            }}
            className="sm:max-w-56"
          />
          <Button onClick={add} disabled={name.trim() === '' || Object.hasOwn(object, name)} className="max-sm:h-10">
            <Plus aria-hidden="true" />
            Add
          </Button>
        </div>
      )}
    </>
  )
}

/** An object within the form: there or not, where it may be left out. */
export function ObjectField({ shape, ...place }: Place & { shape: ObjectShape }) {
  return (
    <Group place={place} empty={{}}>
      <ObjectFields {...place} shape={shape} />
    </Group>
  )
}

export function ListField({ items, ...place }: Place & { items: Schema }) {
  const { value, onChange, root, schema, pointer, label } = place
  const entries: readonly unknown[] = Array.isArray(value) ? value : []
  const isFull = typeof schema.maxItems === 'number' && entries.length >= schema.maxItems
  const change = (next: readonly unknown[]) => onChange(next.length === 0 && !place.required ? undefined : next)
  return (
    <fieldset className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2">
      <GroupLegend {...place} />
      <Mistake place={place} />
      {entries.map((entry, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an entry has no name but its place.
        <Removable key={index} what={`${label} ${index + 1}`} onRemove={() => change(entries.toSpliced(index, 1))}>
          <SchemaField
            {...place}
            schema={items}
            label={`${label} ${index + 1}`}
            value={entry}
            onChange={(next) => change(entries.toSpliced(index, 1, next === undefined ? '' : next))}
            required={false}
            pointer={pointerTo(pointer, index)}
          />
        </Removable>
      ))}
      <div>
        <Button
          size="small"
          disabled={isFull}
          className="max-sm:h-10"
          onClick={() => change([...entries, startValue(items, root) ?? ''])}
        >
          <Plus aria-hidden="true" />
          Add to {label}
        </Button>
      </div>
    </fieldset>
  )
}

export function AlternativesField({ alternatives, ...place }: Place & { alternatives: readonly Schema[] }) {
  const { value, onChange, root } = place
  const [picked, setPicked] = useState<number | null>(null)
  const chosen = picked ?? chooseAlternative(alternatives, value, root)
  const isUnset = value === undefined && !place.required && picked === null
  const id = `${idOf(place)}?`
  return (
    <fieldset className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2">
      <GroupLegend {...place} />
      <Select
        {...fieldProps(id)}
        aria-label={`Kind of ${place.label}`}
        value={isUnset ? '' : String(chosen)}
        onChange={(event) => {
          const index = event.target.value === '' ? null : Number(event.target.value)
          setPicked(index)
          onChange(
            index === null ? undefined : (startValue(alternatives[index] ?? {}, root) ?? nullOf(alternatives[index])),
          )
        }}
      >
        {!place.required && <option value="">Not set</option>}
        {alternatives.map((alternative, index) => (
          <option key={`${nameOf(alternative, index)} ${index.toString()}`} value={index}>
            {nameOf(alternative, index)}
          </option>
        ))}
      </Select>
      {isUnset ? (
        <Mistake place={place} />
      ) : (
        alternatives[chosen]?.type !== 'null' && (
          <SchemaField {...place} schema={alternatives[chosen] ?? {}} required label={place.label} />
        )
      )}
    </fieldset>
  )
}

const nullOf = (schema: Schema | undefined) => (schema?.type === 'null' ? null : undefined)

interface GroupProps {
  place: Place
  empty: unknown
  children: ReactNode
}

function Group({ place, empty, children }: GroupProps) {
  const { value, onChange, schema, root, required, label } = place
  const isThere = value !== undefined || required
  return (
    <fieldset className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2">
      <GroupLegend {...place} />
      {isThere ? (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-2 border-line border-l-2 pl-3">
          {children}
          {!required && (
            <div>
              <Button size="small" look="ghost" onClick={() => onChange(undefined)}>
                <X aria-hidden="true" />
                Leave out {label}
              </Button>
            </div>
          )}
        </div>
      ) : (
        <>
          <Mistake place={place} deep />
          <div>
            <Button size="small" className="max-sm:h-10" onClick={() => onChange(startValue(schema, root) ?? empty)}>
              <Plus aria-hidden="true" />
              Add {label}
            </Button>
          </div>
        </>
      )}
    </fieldset>
  )
}

function GroupLegend({ schema, label, required }: Place) {
  return (
    <>
      <legend className="mb-1 font-medium text-ink text-sm">
        {label}
        {required && <Required />}
      </legend>
      <p className="-mt-1 text-ink-3 text-xs empty:hidden">
        <Hint schema={schema} />
      </p>
    </>
  )
}

function Mistake({ place, deep }: { place: Place; deep?: boolean }) {
  const told = deep
    ? mistakesBelow(place.mistakes, place.pointer).map(([, message]) => message)
    : [place.mistakes[place.pointer]]
  return (
    <p role="alert" className="text-bad text-xs empty:hidden">
      {told.filter(Boolean).join(' ') || null}
    </p>
  )
}

function Removable({ what, onRemove, children }: { what: string; onRemove: () => void; children: ReactNode }) {
  return (
    <div className="flex items-start gap-1.5">
      <div className="min-w-0 flex-1">{children}</div>
      <Button look="ghost" size="icon" aria-label={`Remove ${what}`} onClick={onRemove} className="max-sm:size-10">
        <X aria-hidden="true" />
      </Button>
    </div>
  )
}
