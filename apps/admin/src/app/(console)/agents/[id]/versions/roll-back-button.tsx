'use client'

import { useState, useTransition } from 'react'
import { toast } from 'sonner'
import type { ChangeBlock } from '../../../../../agents/describe-changes.ts'
import { Button } from '../../../../../components/button.tsx'
import { Dialog, DialogClose } from '../../../../../components/dialog.tsx'
import { Field, fieldProps } from '../../../../../components/field.tsx'
import { Input } from '../../../../../components/input.tsx'
import { rollBackAgent } from '../../actions.ts'
import { ChangeList } from '../../change-list.tsx'

interface RollBackButtonProps {
  agentId: string
  name: string
  to: number
  seen: string
  hasDraft: boolean
  blocks: ChangeBlock[]
}

export function RollBackButton({ agentId, name, to, seen, hasDraft, blocks }: RollBackButtonProps) {
  const [open, setOpen] = useState(false)
  const [mistake, setMistake] = useState<string | null>(null)
  const [busy, start] = useTransition()
  const id = `note-${to}`
  const goBack = (form: FormData) =>
    start(async () => {
      const result = await rollBackAgent(null, form)
      if (!result.ok) return setMistake(result.message)
      setOpen(false)
      toast.success(result.message)
    })
  return (
    <Dialog
      wide
      open={open}
      onOpenChange={(next) => {
        setOpen(next)
        setMistake(null)
      }}
      title={`Roll ${name} back to version ${to}?`}
      about={`It becomes a new version that is as ${to} was, tools and their configuration too. Nothing of the history is lost.${hasDraft ? ' The draft stays.' : ''}`}
      trigger={
        <Button size="small" aria-label={`Roll back to version ${to}`} className="max-sm:h-10">
          Roll back
        </Button>
      }
    >
      <form action={goBack} className="grid w-full min-w-0 gap-4">
        <input type="hidden" name="agentId" value={agentId} />
        <input type="hidden" name="seen" value={seen} />
        <input type="hidden" name="to" value={to} />
        <ChangeList label="What changes" blocks={blocks} className="max-h-[45vh]" />
        <Field id={id} label="Note" hint="Why, for whoever reads the history. It may be left out.">
          <Input {...fieldProps(id)} name="note" maxLength={500} autoComplete="off" />
        </Field>
        <p role="alert" className="text-bad empty:hidden">
          {mistake}
        </p>
        <div className="flex justify-end gap-2">
          <DialogClose asChild>
            <Button>Keep what holds</Button>
          </DialogClose>
          <Button type="submit" look="danger" disabled={busy}>
            {busy ? 'Rolling back…' : `Roll back to version ${to}`}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
