'use client'

import { ActionForm } from '../../../components/action-form.tsx'
import { Field, fieldProps } from '../../../components/field.tsx'
import { Select } from '../../../components/input.tsx'
import { sendTest } from './actions.ts'

interface TestFormProps {
  channelId: string
  places: { place: string; about: string }[]
}

export function TestForm({ channelId, places }: TestFormProps) {
  const id = `${channelId}-test`
  if (!places.length)
    return (
      <p className="text-ink-3 text-xs">
        Say a word to it anywhere there first; then a test can be sent to that place.
      </p>
    )
  return (
    <ActionForm action={sendTest} submit="Send a test" working="Sending…" inline>
      {(mistakes) => (
        <>
          <input type="hidden" name="channelId" value={channelId} />
          <div className="min-w-0 flex-1 sm:min-w-44">
            <Field id={id} label="To" mistake={mistakes.place} hint="In the newest thread there, with your name.">
              <Select {...fieldProps(id, mistakes.place)} name="place">
                {places.map(({ place, about }) => (
                  <option key={place} value={place}>
                    {about ? `${place} · ${about}` : place}
                  </option>
                ))}
              </Select>
            </Field>
          </div>
        </>
      )}
    </ActionForm>
  )
}
