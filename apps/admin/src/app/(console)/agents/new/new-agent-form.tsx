'use client'

import { useRouter } from 'next/navigation'
import { useState } from 'react'
import type { ActionResult } from '../../../../action-result.ts'
import { ActionForm } from '../../../../components/action-form.tsx'
import { Field, fieldProps } from '../../../../components/field.tsx'
import { Input, Select } from '../../../../components/input.tsx'
import { makeAgent } from '../actions.ts'

interface NewAgentFormProps {
  templates: { value: string; label: string; about: string }[]
  agents: { id: string; name: string }[]
}

export function NewAgentForm({ templates, agents }: NewAgentFormProps) {
  const [from, setFrom] = useState('blank')
  const router = useRouter()
  const make = async (previous: ActionResult | null, form: FormData) => {
    const result = await makeAgent(previous, form)
    if (result.ok && result.once) router.push(`/agents/${result.once.agentId}`)
    return result
  }
  const about = templates.find(({ value }) => value === from)?.about ?? 'All that the other one is, tools included.'
  return (
    <ActionForm action={make} submit="Make the draft" working="Making…">
      {(mistakes) => (
        <>
          <Field id="name" label="Name" hint="As people will call it: “Harbor”." mistake={mistakes.name}>
            <Input {...fieldProps('name', mistakes.name)} autoComplete="off" required maxLength={80} />
          </Field>
          <Field
            id="description"
            label="Description"
            hint="One sentence for whoever chooses among agents."
            mistake={mistakes.description}
          >
            <Input {...fieldProps('description', mistakes.description)} autoComplete="off" maxLength={500} />
          </Field>
          <Field id="from" label="Begins as" hint={about} mistake={mistakes.from}>
            <Select
              {...fieldProps('from', mistakes.from)}
              value={from}
              onChange={(event) => setFrom(event.target.value)}
            >
              <optgroup label="A template">
                {templates.map(({ value, label }) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </optgroup>
              {agents.length > 0 && (
                <optgroup label="A copy of">
                  {agents.map(({ id, name }) => (
                    <option key={id} value={`agent:${id}`}>
                      {name}
                    </option>
                  ))}
                </optgroup>
              )}
            </Select>
          </Field>
        </>
      )}
    </ActionForm>
  )
}
