import type { ReactNode } from 'react'
import { Field } from '../components/field.tsx'
import { idOf, type Place } from './place.ts'
import { describeLimits } from './shape.ts'

interface FieldFrameProps extends Place {
  mistake?: string | undefined
  children: ReactNode
}

/** The label, what the schema says about the value, and what is wrong with it. */
export function FieldFrame({ schema, label, required, mistake, children, ...place }: FieldFrameProps) {
  return (
    <Field
      id={idOf(place)}
      label={
        <>
          {label}
          {required && <Required />}
        </>
      }
      hint={<Hint schema={schema} />}
      mistake={mistake}
    >
      {children}
    </Field>
  )
}

export const Required = () => <span className="ml-1.5 font-normal text-2xs text-ink-3">required</span>

export function Hint({ schema }: Pick<Place, 'schema'>) {
  const limits = describeLimits(schema)
  const description = typeof schema.description === 'string' ? schema.description : ''
  return (
    <>
      {description}
      {description && limits && ' · '}
      {limits}
    </>
  )
}

/** For the placeholder of a value that may be left out. */
export const defaultText = (value: unknown) =>
  value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value)
