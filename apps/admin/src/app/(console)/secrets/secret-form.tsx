'use client'

import { ActionForm } from '../../../components/action-form.tsx'
import { Field, fieldProps } from '../../../components/field.tsx'
import { Input, TextArea } from '../../../components/input.tsx'
import { saveSecret } from './actions.ts'

interface SecretFormProps {
  scope: string
  /** The secret that gets a new version; without it, one is made. */
  name?: string
}

/** Write-only: what is typed goes to the server and never comes back. */
export function SecretForm({ scope, name }: SecretFormProps) {
  const id = (field: string) => `${field}-${scope}`
  return (
    <ActionForm action={saveSecret} submit={name ? 'Store new version' : 'Store secret'} working="Storing…">
      {(mistakes) => (
        <>
          <input type="hidden" name="scope" value={scope} />
          {name && <input type="hidden" name="name" value={name} />}
          {!name && (
            <Field
              id={id('name')}
              label="Name"
              hint="As tools ask for it. A name that exists gets a new version."
              mistake={mistakes.name}
            >
              <Input
                {...fieldProps(id('name'), mistakes.name)}
                name="name"
                placeholder={`${scope}.token`}
                required
                maxLength={128}
                autoComplete="off"
                spellCheck={false}
                className="font-mono"
              />
            </Field>
          )}
          <Field
            id={id('value')}
            label={name ? 'New value' : 'Value'}
            hint="Sealed at once and not shown again, to anybody."
            mistake={mistakes.value}
          >
            <TextArea
              {...fieldProps(id('value'), mistakes.value)}
              name="value"
              required
              rows={2}
              autoComplete="off"
              spellCheck={false}
              className="font-mono text-xs [-webkit-text-security:disc]"
            />
          </Field>
          <div className="sm:w-56">
            <Field
              id={id('expires')}
              label="Expires"
              hint="From that day on no tool gets it. Empty: never."
              mistake={mistakes.expires}
            >
              <Input {...fieldProps(id('expires'), mistakes.expires)} name="expires" type="date" />
            </Field>
          </div>
        </>
      )}
    </ActionForm>
  )
}
