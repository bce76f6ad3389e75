'use client'

import { ActionForm } from '../../../components/action-form.tsx'
import { Field, fieldProps } from '../../../components/field.tsx'
import { Select } from '../../../components/input.tsx'
import { giveScope } from './actions.ts'

interface GrantFormProps {
  scopeId: string
  scope: string
  /** Those that do not have it yet. */
  agents: { id: string; name: string }[]
}

export function GrantForm({ scopeId, scope, agents }: GrantFormProps) {
  const id = `agent-${scopeId}`
  return (
    <ActionForm action={giveScope} submit="Grant" working="Granting…" inline>
      {(mistakes) => (
        <>
          <input type="hidden" name="scopeId" value={scopeId} />
          <div className="min-w-0 flex-1 sm:max-w-60">
            <Field id={id} label={`Grant ${scope} to`} mistake={mistakes.agentId}>
              <Select {...fieldProps(id, mistakes.agentId)} name="agentId">
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
