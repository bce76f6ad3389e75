'use client'

import dynamic from 'next/dynamic'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { type FormEvent, useEffect, useRef, useState, useTransition } from 'react'
import { toast } from 'sonner'
import { Button } from '../../../../../components/button.tsx'
import type { Mistakes } from '../../../../../schema-form/mistakes.ts'
import { attachToAgent } from '../../actions.ts'

const SchemaForm = dynamic(() => import('../../../../../schema-form/schema-form.tsx').then((file) => file.SchemaForm))

interface ConfigFormProps {
  agentId: string
  toolId: string
  name: string
  seen: string
  isAttached: boolean
  schema: unknown
  config: Record<string, unknown>
}

/** The configuration of one tool, into the draft. */
export function ConfigForm({ agentId, toolId, name, seen, isAttached, schema, config }: ConfigFormProps) {
  const [value, change] = useState<unknown>(config)
  const [mistakes, setMistakes] = useState<Mistakes>({})
  const [problem, say] = useState<string | null>(null)
  const [unreadable, setUnreadable] = useState(false)
  const [busy, start] = useTransition()
  const router = useRouter()
  const form = useRef<HTMLFormElement>(null)
  // Whoever chose the tool further down is brought here, with the keyboard too.
  useEffect(() => {
    form.current?.focus({ preventScroll: true })
    form.current?.parentElement?.scrollIntoView({ block: 'nearest' })
  }, [])
  const back = `/agents/${agentId}/tools`
  const save = (event: FormEvent) => {
    event.preventDefault()
    const sent = new FormData()
    for (const [field, text] of Object.entries({ agentId, toolId, seen })) sent.set(field, text)
    sent.set('config', JSON.stringify(value ?? {}))
    start(async () => {
      const result = await attachToAgent(null, sent)
      if (!result.ok) {
        setMistakes(result.fields ?? {})
        say(result.message)
        // After the mistakes are drawn: there they are read out, and can be mended at once.
        requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
        return
      }
      toast.success(isAttached ? `${name} is configured in the draft.` : `${name} is attached in the draft.`)
      router.replace(back, { scroll: false })
    })
  }
  return (
    <form
      ref={form}
      onSubmit={save}
      tabIndex={-1}
      aria-label={`Configuration of ${name}`}
      className="grid grid-cols-[minmax(0,1fr)] gap-4 px-4 pt-2 pb-4 outline-none"
    >
      <SchemaForm
        schema={schema}
        value={value}
        onChange={change}
        idPrefix="config"
        label="Configuration"
        mistakes={mistakes}
        onUnreadable={setUnreadable}
      />
      <p role="alert" className="text-bad empty:hidden">
        {problem}
      </p>
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={busy || unreadable} className="max-sm:h-10">
          {isAttached ? 'Save in the draft' : 'Attach in the draft'}
        </Button>
        <Button asChild look="ghost" className="max-sm:h-10">
          <Link href={back} scroll={false}>
            Close
          </Link>
        </Button>
      </div>
    </form>
  )
}
