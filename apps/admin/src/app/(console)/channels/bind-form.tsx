'use client'

import { ActionForm } from '../../../components/action-form.tsx'
import { Field, fieldProps } from '../../../components/field.tsx'
import { Input, Select } from '../../../components/input.tsx'
import { bindPlace } from './actions.ts'
import type { ChoosableAgent, PlatformKind } from './queries.ts'

interface BindFormProps {
  channelId: string
  kind: PlatformKind
  agents: ChoosableAgent[]
  /** Places that are not bound yet. */
  places: { place: string; about: string }[]
}

const hints = {
  slack: 'The id of a channel, or a link to it.',
  telegram: 'The number of a chat; where somebody wrote it is offered.',
}

export function BindForm({ channelId, kind, agents, places }: BindFormProps) {
  const id = `${channelId}-place`
  return (
    <ActionForm action={bindPlace} submit="Bind" inline>
      {(mistakes) => (
        <>
          <input type="hidden" name="channelId" value={channelId} />
          {/* Whom the person was told that they take the place from. */}
          <input type="hidden" name="instead" value={mistakes.instead ?? ''} />
          <div className="min-w-0 flex-1 sm:min-w-44">
            <Field id={id} label="Another place" hint={hints[kind]} mistake={mistakes.place}>
              <Input
                {...fieldProps(id, mistakes.place)}
                name="place"
                list={`${id}s`}
                placeholder={kind === 'slack' ? 'C024BE91L' : '-1001234567890'}
                autoComplete="off"
                spellCheck={false}
                required
                maxLength={300}
                className="font-mono"
              />
            </Field>
            <datalist id={`${id}s`}>
              {places.map(({ place, about }) => (
                <option key={place} value={place} label={about} />
              ))}
            </datalist>
          </div>
          <div className="min-w-0 flex-1 sm:max-w-60">
            <Field id={`${id}-agent`} label="is answered by" mistake={mistakes.agentId}>
              <Select {...fieldProps(`${id}-agent`, mistakes.agentId)} name="agentId">
                {agents.map((agent) => (
                  <option key={agent.id} value={agent.id}>
                    {agent.name}
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
