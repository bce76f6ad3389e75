'use client'

import { useState } from 'react'
import { ActionForm } from '../../../../../components/action-form.tsx'
import { Field, fieldProps } from '../../../../../components/field.tsx'
import { Input, Select } from '../../../../../components/input.tsx'
import { bindAgent } from '../../actions.ts'
import type { PlatformChannel } from '../../queries.ts'

const hints = {
  slack: 'The id of a channel, such as C024BE91L, or a link to it.',
  telegram: 'The number of a chat, such as -1001234567890.',
}

export function BindPlaceForm({ agentId, channels }: { agentId: string; channels: PlatformChannel[] }) {
  const [chosen, choose] = useState(channels[0]?.id ?? '')
  const kind = channels.find(({ id }) => id === chosen)?.kind ?? 'slack'
  return (
    <ActionForm action={bindAgent} submit="Bind">
      {(mistakes) => (
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <input type="hidden" name="agentId" value={agentId} />
          {/* Whom the person was told that they take the place from. */}
          <input type="hidden" name="instead" value={mistakes.instead ?? ''} />
          <Field id="channelId" label="Channel" mistake={mistakes.channelId}>
            <Select
              {...fieldProps('channelId', mistakes.channelId)}
              value={chosen}
              onChange={({ target }) => choose(target.value)}
            >
              {channels.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          </Field>
          <Field id="place" label="Place" hint={hints[kind]} mistake={mistakes.place}>
            <Input
              {...fieldProps('place', mistakes.place)}
              autoComplete="off"
              spellCheck={false}
              required
              maxLength={300}
              className="font-mono"
            />
          </Field>
        </div>
      )}
    </ActionForm>
  )
}
