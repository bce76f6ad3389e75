'use client'

// A form made from a JSON Schema (draft 2020-12, as the tools and their configurations use it).
//
// Ours and not @rjsf/core: that is about 60 KB compressed with its theme, and its validators compile schemas with
// `new Function`, which the console's Content-Security-Policy forbids (without one it refuses to render). Our tools need
// a dozen shapes, drawn with the fields every other form here has. Nothing is validated here: the server does that with
// packages/tools' own validator, the one that decides when a tool runs, and its words come back by JSON pointer
// (`mistakesOf`). What no field can express is asked for as JSON, part by part or the whole.
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { TextArea } from '../components/input.tsx'
import { ObjectFields } from './group-fields.tsx'
import { type Mistakes, mistakesBelow } from './mistakes.ts'
import { SchemaField } from './schema-field.tsx'
import { follow, isSchema, shapeOf } from './shape.ts'

export interface SchemaFormProps {
  /** A JSON Schema; what is none is asked for as JSON. */
  schema: unknown
  value: unknown
  onChange: (value: unknown) => void
  /** What the server found, by JSON pointer. */
  mistakes?: Mistakes
  /** The ids of the inputs begin with it; unique on the page. */
  idPrefix: string
  /** What the whole is called: "Arguments", "Configuration". */
  label?: string
  /** Told whenever the JSON text stops or starts being JSON; until it is again, the value is the last one that was. */
  onUnreadable?: (unreadable: boolean) => void
}

export function SchemaForm({
  schema,
  value,
  onChange,
  mistakes = {},
  idPrefix,
  label = 'Value',
  onUnreadable,
}: SchemaFormProps) {
  const root = isSchema(schema) ? schema : {}
  const own = follow(root, root)
  const shape = shapeOf(own, root)
  const [text, setText] = useState<string | null>(null)
  const parsed = text === null ? null : parse(text)
  // A form can show what fits its shape. Anything else is the text's business, whichever was chosen.
  const asText =
    text !== null || shape.kind === 'json' || (shape.kind === 'object' && value !== undefined && !isSchema(value))
  const place = { schema: own, root, label, value, onChange, required: true, pointer: '', mistakes, idPrefix }
  const write = (next: string) => {
    setText(next)
    const read = parse(next)
    onUnreadable?.(!read.ok)
    if (read.ok) onChange(read.value)
  }
  const shown = text ?? JSON.stringify(value ?? {}, null, 2)
  const wrong =
    parsed && !parsed.ok
      ? [parsed.mistake]
      : mistakesBelow(mistakes, '').map(([at, message]) =>
          at ? `${at.slice(1).replaceAll('/', '.')}: ${message}` : message,
        )
  const id = `${idPrefix}-json`
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot lay out its legend beside the switch.
    <div
      role="group"
      aria-label={asText ? 'As JSON' : undefined}
      aria-labelledby={asText ? undefined : `${idPrefix}-label`}
      className="grid grid-cols-[minmax(0,1fr)] gap-2.5"
    >
      <div className="flex min-h-7 items-center justify-between gap-3">
        <label id={`${idPrefix}-label`} htmlFor={asText ? id : undefined} className="font-medium">
          {label}
        </label>
        {shape.kind !== 'json' && (
          <Button
            size="small"
            look="ghost"
            disabled={asText && parsed !== null && !parsed.ok}
            onClick={() => setText(asText ? null : JSON.stringify(value ?? {}, null, 2))}
          >
            {asText ? 'Back to the form' : 'Edit as JSON'}
          </Button>
        )}
      </div>
      {asText ? (
        <div className="grid gap-1.5">
          <TextArea
            id={id}
            value={shown}
            rows={Math.min(20, Math.max(4, shown.split('\n').length + 1))}
            spellCheck={false}
            aria-invalid={wrong.length ? true : undefined}
            aria-describedby={`${id}-note`}
            onChange={(event) => write(event.target.value)}
            className="font-mono text-xs"
          />
          <ul id={`${id}-note`} className="text-bad text-xs empty:hidden">
            {wrong.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      ) : shape.kind === 'object' ? (
        <ObjectFields {...place} shape={shape} />
      ) : (
        <SchemaField {...place} />
      )}
    </div>
  )
}

function parse(text: string): { ok: true; value: unknown } | { ok: false; mistake: string } {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return { ok: false, mistake: `This is not JSON: ${(error as Error).message}` }
  }
}
