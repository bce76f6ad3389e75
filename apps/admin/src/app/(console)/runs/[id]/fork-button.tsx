'use client'

import { GitFork, RotateCcw } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useActionState, useEffect, useId, useState } from 'react'
import { toast } from 'sonner'
import type { ActionResult } from '../../../../action-result.ts'
import { Button } from '../../../../components/button.tsx'
import { Dialog, DialogClose } from '../../../../components/dialog.tsx'
import { Field, fieldProps } from '../../../../components/field.tsx'
import { TextArea } from '../../../../components/input.tsx'
import { forkFromStep, repeatRun } from '../actions.ts'

const copied = 'Nothing changes in the run itself. What tools returned is copied, and no tool is run again by that.'

/** The same request again, after a question: an agent that acts is set to work. */
export function RepeatButton({ runId, agent }: { runId: string; agent: string }) {
  const [result, send, busy] = useActionState(repeatRun, null)
  useSession(result)
  return (
    <Dialog
      title="Run it again?"
      about={`${agent} gets the same request once more, in a playground session of your own, and works on it anew: tools run, and whatever must be asked is asked again.`}
      trigger={
        <Button className="max-sm:h-10">
          <RotateCcw aria-hidden="true" /> Re-run
        </Button>
      }
    >
      <div className="grid w-full gap-3">
        <Mistake message={result && !result.ok ? result.message : null} />
        <form action={send} className="flex justify-end gap-2">
          <input type="hidden" name="runId" value={runId} />
          <DialogClose asChild>
            <Button>Not now</Button>
          </DialogClose>
          <Button type="submit" look="primary" disabled={busy}>
            {busy ? 'Starting…' : 'Run it again'}
          </Button>
        </form>
      </div>
    </Dialog>
  )
}

interface ForkButtonProps {
  runId: string
  /** The step that is chosen, and how many there are. */
  step: number
  steps: number
}

/** A session of one's own that begins with what was said and done up to a step. */
export function ForkButton({ runId, step, steps }: ForkButtonProps) {
  const [result, send, busy] = useActionState(forkFromStep, null)
  useSession(result)
  const [side, setSide] = useState<'before' | 'after'>('after')
  const id = useId()
  const mistakes = result && !result.ok ? (result.fields ?? {}) : {}
  const isLast = step >= steps && side === 'after'
  return (
    <Dialog
      title={`Fork at step ${step}?`}
      about={`A playground session of your own begins with the conversation up to here. ${copied}`}
      trigger={
        <Button className="max-sm:h-10">
          <GitFork aria-hidden="true" /> Fork from here
        </Button>
      }
    >
      <form action={send} className="grid w-full gap-4">
        <input type="hidden" name="runId" value={runId} />
        <input type="hidden" name="step" value={step} />
        <fieldset className="grid gap-1.5">
          <legend className="mb-1.5 font-medium">Begin</legend>
          {(['after', 'before'] as const).map((one) => (
            <label key={one} htmlFor={`${id}-${one}`} className="flex items-center gap-2">
              <input
                id={`${id}-${one}`}
                type="radio"
                name="side"
                value={one}
                checked={side === one}
                onChange={() => setSide(one)}
                className="accent-(--accent)"
              />
              {one === 'after' ? 'after it, with what its tools returned' : 'before it, so that the model decides anew'}
            </label>
          ))}
        </fieldset>
        <Field
          id="text"
          label="Your message"
          hint={isLast ? 'Without one nothing happens until you write there.' : 'Without one the agent just goes on.'}
          mistake={mistakes.text}
        >
          <TextArea {...fieldProps('text', mistakes.text)} rows={3} />
        </Field>
        <Mistake message={result && !result.ok && !result.fields ? result.message : null} />
        <div className="flex justify-end gap-2">
          <DialogClose asChild>
            <Button>Not now</Button>
          </DialogClose>
          <Button type="submit" look="primary" disabled={busy}>
            {busy ? 'Forking…' : 'Fork it'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Leads to the session that was made. */
function useSession(result: ActionResult | null): void {
  const router = useRouter()
  useEffect(() => {
    if (!result?.ok || !result.once?.sessionId) return
    toast.success(result.message)
    router.push(`/playground/${result.once.sessionId}`)
  }, [result, router])
}

function Mistake({ message }: { message: string | null }) {
  return (
    <p role="alert" className="text-bad text-sm empty:hidden">
      {message}
    </p>
  )
}
