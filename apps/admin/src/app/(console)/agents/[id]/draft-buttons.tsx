'use client'

import { useState, useTransition } from 'react'
import { toast } from 'sonner'
import type { ChangeBlock } from '../../../../agents/describe-changes.ts'
import { Button } from '../../../../components/button.tsx'
import { ConfirmButton } from '../../../../components/confirm-button.tsx'
import { Dialog, DialogClose } from '../../../../components/dialog.tsx'
import { Field, fieldProps } from '../../../../components/field.tsx'
import { Input } from '../../../../components/input.tsx'
import { discardAgentDraft, publishAgent } from '../actions.ts'
import { ChangeList } from '../change-list.tsx'

interface DraftButtonsProps {
  agentId: string
  name: string
  seen: string
  /** Of the version that publishing makes. */
  number: number
  /** Nothing of it holds yet, so there is nothing to go back to. */
  isFirst: boolean
  count: string
  blocks: ChangeBlock[]
}

export function DraftButtons({ agentId, name, seen, number, isFirst, count, blocks }: DraftButtonsProps) {
  return (
    <div className="flex gap-2">
      {!isFirst && (
        <ConfirmButton
          action={discardAgentDraft}
          fields={{ agentId, seen }}
          title={`Discard the draft of ${name}?`}
          about={`${count === 'no changes' ? 'It changes nothing' : `Its ${count}`} will be gone for good. Version ${number - 1} goes on answering.`}
          confirm="Discard it"
          trigger={<Button className="max-sm:h-10">Discard</Button>}
        />
      )}
      <PublishButton agentId={agentId} name={name} seen={seen} number={number} blocks={blocks} />
    </div>
  )
}

function PublishButton({ agentId, name, seen, number, blocks }: Omit<DraftButtonsProps, 'count' | 'isFirst'>) {
  const [open, setOpen] = useState(false)
  const [mistake, setMistake] = useState<string | null>(null)
  const [busy, start] = useTransition()
  const publish = (form: FormData) =>
    start(async () => {
      const result = await publishAgent(null, form)
      if (!result.ok) return setMistake(result.message)
      // The bar goes away with its draft, and this dialog with it.
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
      title={`Publish version ${number} of ${name}?`}
      about="New runs begin with it. What it may do counts at once, also in runs that are under way."
      trigger={
        <Button look="primary" className="max-sm:h-10">
          Publish…
        </Button>
      }
    >
      <form action={publish} className="grid w-full min-w-0 gap-4">
        <input type="hidden" name="agentId" value={agentId} />
        <input type="hidden" name="seen" value={seen} />
        {blocks.length > 0 ? (
          <ChangeList label="What changes" blocks={blocks} className="max-h-[45vh]" />
        ) : (
          <p className="text-ink-2">It is as every new agent is; there is nothing to compare it with.</p>
        )}
        <Field id="note" label="Note" hint="Why, for whoever reads the history. It may be left out.">
          <Input {...fieldProps('note')} maxLength={500} autoComplete="off" />
        </Field>
        <p role="alert" className="text-bad empty:hidden">
          {mistake}
        </p>
        <div className="flex justify-end gap-2">
          <DialogClose asChild>
            <Button>Not yet</Button>
          </DialogClose>
          <Button type="submit" look="primary" disabled={busy}>
            {busy ? 'Publishing…' : `Publish version ${number}`}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
