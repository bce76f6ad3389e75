import type { Mistakes } from './mistakes.ts'
import type { Schema } from './shape.ts'

/** Where a field is: what it asks for, and what is there. `undefined` is a value that is not given. */
export interface Place {
  schema: Schema
  root: Schema
  label: string
  value: unknown
  onChange: (value: unknown) => void
  required: boolean
  pointer: string
  mistakes: Mistakes
  /** Of the inputs' ids: the pointer is appended. */
  idPrefix: string
}

export const idOf = ({ idPrefix, pointer }: Pick<Place, 'idPrefix' | 'pointer'>) => `${idPrefix}${pointer || '/'}`
