'use client'

import type { StoredPrice } from '@quartermaster/db'
import { ActionForm } from '../../../../components/action-form.tsx'
import { Field, fieldProps } from '../../../../components/field.tsx'
import { Input } from '../../../../components/input.tsx'
import { savePrice } from './actions.ts'
import { amounts } from './amounts.ts'

interface PriceFormProps {
  /** The model that is to be changed; empty for a new one. */
  model: string
  price: StoredPrice | null
}

export function PriceForm({ model, price }: PriceFormProps) {
  return (
    <ActionForm action={savePrice} submit="Save price">
      {(mistakes) => (
        <>
          <Field
            id="model"
            label="Model"
            hint="As its provider calls it. A dated snapshot of it costs the same."
            mistake={mistakes.model}
          >
            <Input
              {...fieldProps('model', mistakes.model)}
              defaultValue={model}
              key={model}
              placeholder="claude-sonnet-5-5"
              required
              maxLength={200}
              autoComplete="off"
              spellCheck={false}
            />
          </Field>
          <div className="grid grid-cols-2 gap-4 sm:grid-cols-3">
            {amounts.map(({ name, label, optional }) => (
              <Field
                key={`${model} ${name}`}
                id={name}
                label={`${label} ($)`}
                hint={optional ? 'Empty: the usual.' : 'A million tokens.'}
                mistake={mistakes[name]}
              >
                <Input
                  {...fieldProps(name, mistakes[name])}
                  defaultValue={price?.[name]}
                  inputMode="decimal"
                  type="number"
                  min={0}
                  max={100_000}
                  step="any"
                  required={!optional}
                />
              </Field>
            ))}
          </div>
        </>
      )}
    </ActionForm>
  )
}
