'use client'

import { ActionForm } from '../../../../../components/action-form.tsx'
import { Card, CardHeader } from '../../../../../components/card.tsx'
import { Field, fieldProps } from '../../../../../components/field.tsx'
import { Input } from '../../../../../components/input.tsx'
import { nameAgent } from '../../actions.ts'

interface NameFormProps {
  agentId: string
  name: string
  description: string
  slug: string
  mayEdit: boolean
}

/** What it is called counts at once, and is no part of a version. */
export function NameForm({ agentId, name, description, slug, mayEdit }: NameFormProps) {
  return (
    <Card aria-labelledby="called">
      <CardHeader
        id="called"
        title="Name"
        about={
          <>
            It counts at once, everywhere. In a chat, <code>/agent {slug}</code> chooses it.
          </>
        }
      />
      {mayEdit ? (
        <ActionForm key={`${name}\n${description}`} action={nameAgent} submit="Save the name">
          {(mistakes) => (
            <>
              <input type="hidden" name="agentId" value={agentId} />
              <Field id="name" label="Name" mistake={mistakes.name}>
                <Input {...fieldProps('name', mistakes.name)} defaultValue={name} autoComplete="off" />
              </Field>
              <Field id="description" label="Description" mistake={mistakes.description}>
                <Input
                  {...fieldProps('description', mistakes.description)}
                  defaultValue={description}
                  autoComplete="off"
                />
              </Field>
            </>
          )}
        </ActionForm>
      ) : (
        <p className="px-4 pt-1 pb-4 text-ink-2">{description || 'It has no description.'}</p>
      )}
    </Card>
  )
}
