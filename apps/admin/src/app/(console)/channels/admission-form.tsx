'use client'

import type { Admission } from '@quartermaster/db'
import { ActionForm } from '../../../components/action-form.tsx'
import { Field, fieldProps } from '../../../components/field.tsx'
import { TextArea } from '../../../components/input.tsx'
import { saveWhoMayTalk } from './actions.ts'
import type { PlatformKind } from './queries.ts'

interface AdmissionFormProps {
  channelId: string
  kind: PlatformKind
  name: string
  admission: Admission
}

const choices = [
  { value: 'team', label: 'Everybody of the team', about: 'Guests and people of other teams excepted.' },
  { value: 'listed', label: 'Only who is linked or listed', about: 'The others are told so, once.' },
]

const hints = {
  slack: 'Ids of people, one a line: guests too. Who has a code from their account settings needs no line.',
  telegram:
    'One a line. A number stays with its person; an @name can go to somebody else. Who has a code from their account settings needs no line.',
}

export function AdmissionForm({ channelId, kind, name, admission }: AdmissionFormProps) {
  const id = `${channelId}-allow`
  const list = admission.allow.join('\n')
  return (
    <div className="-mx-4">
      <ActionForm action={saveWhoMayTalk} submit="Save who may talk">
        {(mistakes) => (
          <>
            <input type="hidden" name="channelId" value={channelId} />
            {kind === 'slack' && (
              <fieldset className="grid gap-2" key={String(admission.team)}>
                <legend className="sr-only">Who may talk in {name}</legend>
                {choices.map(({ value, label, about }) => (
                  <label key={value} className="flex items-start gap-2">
                    <input
                      type="radio"
                      name="who"
                      value={value}
                      defaultChecked={admission.team === (value === 'team')}
                      className="mt-[3px] size-3.5 accent-accent"
                    />
                    <span>
                      {label} <span className="text-ink-3 text-xs">{about}</span>
                    </span>
                  </label>
                ))}
              </fieldset>
            )}
            <Field
              id={id}
              label={kind === 'slack' ? 'Also these people' : 'People who may talk to it'}
              hint={hints[kind]}
              mistake={mistakes.allow}
            >
              <TextArea
                {...fieldProps(id, mistakes.allow)}
                name="allow"
                rows={Math.min(8, Math.max(3, admission.allow.length + 1))}
                defaultValue={list}
                key={list}
                placeholder={kind === 'slack' ? 'U024BE7LH' : '@ada_lovelace\n123456789'}
                spellCheck={false}
                className="font-mono text-xs"
              />
            </Field>
          </>
        )}
      </ActionForm>
    </div>
  )
}
