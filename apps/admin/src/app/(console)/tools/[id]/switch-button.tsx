'use client'

import type { RegisteredTool } from '@quartermaster/db'
import { useTransition } from 'react'
import { toast } from 'sonner'
import { Button } from '../../../../components/button.tsx'
import { ConfirmButton } from '../../../../components/confirm-button.tsx'
import { switchToolHere } from '../actions.ts'

/** Off asks before; on does not: nothing that the policy would refuse comes back with it. */
export function SwitchButton({
  tool: { id, name, unavailable },
  agents,
}: {
  tool: Pick<RegisteredTool, 'id' | 'name' | 'unavailable'>
  /** The names of those that have it now. */
  agents: readonly string[]
}) {
  const [busy, start] = useTransition()
  if (unavailable === 'gone') return null
  if (unavailable === 'disabled')
    return (
      <Button
        disabled={busy}
        onClick={() =>
          start(async () => {
            const form = new FormData()
            form.set('toolId', id)
            form.set('on', 'yes')
            const result = await switchToolHere(null, form)
            toast[result.ok ? 'success' : 'error'](result.message)
          })
        }
      >
        Switch on
      </Button>
    )
  return (
    <ConfirmButton
      action={switchToolHere}
      fields={{ toolId: id, on: 'no' }}
      title={`Switch ${name} off?`}
      about={`${describeAgents(agents)} From then on nobody in this workspace can use it; calls that wait for an answer are refused when they come to run. Attachments and their configuration stay, and it can be switched on again.`}
      confirm="Switch it off"
      trigger={<Button look="danger">Switch off</Button>}
    />
  )
}

/** How many agents are named; the others are counted. */
const mostNamed = 5

function describeAgents(agents: readonly string[]): string {
  if (agents.length === 0) return 'No agent has it now.'
  const named = agents.slice(0, mostNamed)
  const others = agents.length - named.length
  const list = [...named, ...(others ? [`${others} more`] : [])]
  const last = list.length > 1 ? ` and ${list.pop()}` : ''
  return `${list.join(', ')}${last} ${agents.length === 1 ? 'has' : 'have'} it.`
}
