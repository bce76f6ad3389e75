'use client'

import { useState } from 'react'
import { Tag } from '../components/tag.tsx'
import { mistakesBelow, pointerTo } from './mistakes.ts'
import type { Place } from './place.ts'
import { SchemaField } from './schema-field.tsx'
import { isSchema, type Schema } from './shape.ts'

export interface Preset {
  key: string
  schema: Schema
}

export interface PresetGroup {
  /** Which argument of the tool they are about, and what that is. */
  argument: string
  about: string
  presets: Preset[]
}

/** The properties that are presets of an argument (`x-argument`), by argument; the others stand for themselves. */
export function splitPresets(properties: readonly (readonly [name: string, schema: Schema])[]): {
  own: (readonly [name: string, schema: Schema])[]
  groups: PresetGroup[]
} {
  const own: (readonly [name: string, schema: Schema])[] = []
  const groups = new Map<string, PresetGroup>()
  for (const [key, schema] of properties) {
    const of = schema['x-argument']
    if (!isSchema(of)) {
      own.push([key, schema])
      continue
    }
    const argument = String(of.name)
    const group = groups.get(argument) ?? { argument, about: String(of.about ?? ''), presets: [] }
    group.presets.push({ key, schema })
    groups.set(argument, group)
  }
  return { own, groups: [...groups.values()] }
}

interface PresetFieldsProps {
  place: Place
  groups: readonly PresetGroup[]
  object: Schema
  set: (key: string, value: unknown) => void
}

/** What the owner decides about the arguments of a tool: a line for each, opened where somebody wants to. */
export function PresetFields({ place, groups, object, set }: PresetFieldsProps) {
  return (
    <fieldset className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1.5">
      <legend className="mb-1 font-medium text-ink text-sm">Arguments, decided here instead of by the model</legend>
      {groups.map((group) => (
        <OneArgument key={group.argument} place={place} group={group} object={object} set={set} />
      ))}
    </fieldset>
  )
}

function OneArgument({ place, group, object, set }: Omit<PresetFieldsProps, 'groups'> & { group: PresetGroup }) {
  const { argument, about, presets } = group
  const given = presets.filter(({ key }) => object[key] !== undefined)
  const isWrong = presets.some(({ key }) => mistakesBelow(place.mistakes, pointerTo(place.pointer, key)).length > 0)
  // It stays open while its last value is deleted: only who closes it closes it.
  const [isOpen, setOpen] = useState(given.length > 0)
  return (
    <details
      open={isOpen || isWrong}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="min-w-0 rounded-md border border-line"
    >
      <summary className="px-3 py-2 max-sm:min-h-10">
        <code className="font-mono text-xs">{argument}</code>{' '}
        {given.length > 0 && <Tag tone="accent">{given.map(({ key }) => key.replace(/_.*/, '')).join(', ')}</Tag>}{' '}
        <span className="text-ink-3 text-xs">{about}</span>
      </summary>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3.5 border-line border-t px-3 pt-2.5 pb-3">
        {presets.map(({ key, schema }) => (
          <SchemaField
            key={key}
            {...place}
            schema={{ ...schema, 'x-name': key }}
            label={key}
            value={Object.hasOwn(object, key) ? object[key] : undefined}
            onChange={(next) => set(key, next)}
            required={false}
            pointer={pointerTo(place.pointer, key)}
          />
        ))}
      </div>
    </details>
  )
}
