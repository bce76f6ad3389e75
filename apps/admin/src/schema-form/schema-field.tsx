'use client'

import { AlternativesField, ListField, ObjectField } from './group-fields.tsx'
import type { Place } from './place.ts'
import { shapeOf } from './shape.ts'
import { BooleanField, ChoiceField, ConstantField, JsonField, NumberField, TextField } from './value-fields.tsx'

/** One value, asked for as its schema wants it. */
export function SchemaField(place: Place) {
  const shape = shapeOf(place.schema, place.root)
  switch (shape.kind) {
    case 'text':
      return <TextField {...place} long={shape.long} />
    case 'number':
      return <NumberField {...place} whole={shape.whole} />
    case 'boolean':
      return <BooleanField {...place} />
    case 'choice':
      return <ChoiceField {...place} values={shape.values} />
    case 'constant':
      return <ConstantField {...place} constant={shape.value} />
    case 'list':
      return <ListField {...place} items={shape.items} />
    case 'object':
      return <ObjectField {...place} shape={shape} />
    case 'alternatives':
      return <AlternativesField {...place} alternatives={shape.alternatives} />
    case 'json':
      return <JsonField {...place} />
  }
}
