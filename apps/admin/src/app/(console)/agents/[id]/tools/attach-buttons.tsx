'use client'

import { useTransition } from 'react'
import { toast } from 'sonner'
import type { ActionResult } from '../../../../../action-result.ts'
import { Button } from '../../../../../components/button.tsx'
import { attachDefaultSet, attachToAgent, detachFromAgent } from '../../actions.ts'

interface ToolButtonProps {
  agentId: string
  toolId: string
  name: string
}

export function AttachButton(props: ToolButtonProps) {
  return <ToolButton {...props} action={attachToAgent} verb="Attach" done={`${props.name} is attached in the draft.`} />
}

export function DetachButton(props: ToolButtonProps) {
  return (
    <ToolButton {...props} action={detachFromAgent} verb="Detach" done={`${props.name} is detached in the draft.`} />
  )
}

/** For an agent that nothing is attached to: what it has is kept, and more can be put beside it. */
export function AttachDefaultSetButton({ agentId, seen }: { agentId: string; seen: string }) {
  const [busy, start] = useTransition()
  const send = (form: FormData) =>
    start(async () => {
      const result = await attachDefaultSet(null, form)
      toast[result.ok ? 'success' : 'error'](result.message)
    })
  return (
    <form action={send} className="mt-3">
      <input type="hidden" name="agentId" value={agentId} />
      <input type="hidden" name="seen" value={seen} />
      <Button type="submit" disabled={busy} className="max-sm:h-10">
        Attach the default set
      </Button>
    </form>
  )
}

function ToolButton({
  agentId,
  toolId,
  name,
  action,
  verb,
  done,
}: ToolButtonProps & {
  action: (previous: ActionResult | null, form: FormData) => Promise<ActionResult>
  verb: string
  done: string
}) {
  const [busy, start] = useTransition()
  const send = (form: FormData) =>
    start(async () => {
      const result = await action(null, form)
      if (result.ok) toast.success(done)
      else toast.error(result.message)
    })
  return (
    <form action={send}>
      <input type="hidden" name="agentId" value={agentId} />
      <input type="hidden" name="toolId" value={toolId} />
      <Button type="submit" size="small" disabled={busy} aria-label={`${verb} ${name}`} className="max-sm:h-10">
        {verb}
      </Button>
    </form>
  )
}
