'use client'

import { useState, useTransition } from 'react'
import { toast } from 'sonner'
import type { ActionResult } from '../../../action-result.ts'
import { Button } from '../../../components/button.tsx'
import { Select } from '../../../components/input.tsx'
import type { ChoosableAgent } from './queries.ts'

interface AgentChoiceProps {
  action: (previous: ActionResult | null, form: FormData) => Promise<ActionResult>
  agents: ChoosableAgent[]
  /** Who answers now; null: nobody. */
  agentId: string | null
  /** The name of an agent that answers now and cannot be chosen any more. */
  agentName?: string
  label: string
  id: string
  fields: Record<string, string>
}

/** Who answers, and a button that saves another choice. Without anything to save it keeps its room and its focus, unseen. */
export function AgentChoice({ action, agents, agentId, agentName, label, id, fields }: AgentChoiceProps) {
  const [chosen, choose] = useState(agentId ?? '')
  const [busy, start] = useTransition()
  const isKnown = agents.some((agent) => agent.id === agentId)
  const save = (form: FormData) =>
    start(async () => {
      const result = await action(null, form)
      toast[result.ok ? 'success' : 'error'](result.message)
    })
  return (
    <form action={save} className="flex min-w-0 items-center gap-2">
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <div className="min-w-0 flex-1">
        <Select
          id={id}
          name="agentId"
          aria-label={label}
          value={chosen}
          onChange={(event) => choose(event.target.value)}
        >
          {!isKnown && (
            <option value={agentId ?? ''}>{agentId ? `${agentName ?? agentId} (archived)` : 'Nobody'}</option>
          )}
          {agents.map((agent) => (
            <option key={agent.id} value={agent.id}>
              {agent.name}
            </option>
          ))}
        </Select>
      </div>
      <Button
        type="submit"
        look="primary"
        disabled={busy || chosen === (agentId ?? '')}
        className="disabled:opacity-0 max-sm:h-10"
        aria-label={`Save: ${label}`}
      >
        Save
      </Button>
    </form>
  )
}
