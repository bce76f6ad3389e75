'use client'

import { ArrowDown, ArrowUp } from 'lucide-react'
import { useTransition } from 'react'
import { toast } from 'sonner'
import type { ActionResult } from '../../../../action-result.ts'
import { Button } from '../../../../components/button.tsx'
import { moveDraftRule, switchDraftRule } from '../edit-actions.ts'

interface RuleButtonsProps {
  seen: string
  id: string
  name: string
  enabled: boolean
  isFirst: boolean
  isLast: boolean
}

export function RuleButtons({ seen, id, name, enabled, isFirst, isLast }: RuleButtonsProps) {
  const [busy, start] = useTransition()
  const send = (
    action: (previous: ActionResult | null, form: FormData) => Promise<ActionResult>,
    fields: Record<string, string>,
  ) =>
    start(async () => {
      const form = new FormData()
      for (const [key, value] of Object.entries({ seen, id, ...fields })) form.set(key, value)
      const result = await action(null, form)
      toast[result.ok ? 'success' : 'error'](result.message)
    })
  return (
    <div className="flex items-center gap-1">
      <Button
        size="icon"
        look="ghost"
        aria-label={`Move “${name}” up`}
        disabled={busy || isFirst}
        onClick={() => send(moveDraftRule, { by: '-1' })}
        className="max-sm:size-10"
      >
        <ArrowUp aria-hidden="true" />
      </Button>
      <Button
        size="icon"
        look="ghost"
        aria-label={`Move “${name}” down`}
        disabled={busy || isLast}
        onClick={() => send(moveDraftRule, { by: '1' })}
        className="max-sm:size-10"
      >
        <ArrowDown aria-hidden="true" />
      </Button>
      <Button
        size="small"
        aria-label={`Switch ${enabled ? 'off' : 'on'} “${name}”`}
        disabled={busy}
        onClick={() => send(switchDraftRule, { enabled: String(!enabled) })}
        className="w-20 max-sm:h-10"
      >
        Switch {enabled ? 'off' : 'on'}
      </Button>
    </div>
  )
}
