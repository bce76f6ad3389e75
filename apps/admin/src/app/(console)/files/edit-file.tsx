'use client'

import { type FormEvent, startTransition, useActionState, useEffect, useRef, useState } from 'react'
import { toast } from 'sonner'
import { Button } from '../../../components/button.tsx'
import { Field, fieldProps } from '../../../components/field.tsx'
import { TextArea } from '../../../components/input.tsx'
import { saveFile } from './actions.ts'

interface EditFileProps {
  where: 'work' | 'virtual'
  file: string
  /** Of what is shown: saving over something newer is refused, and what was typed stays. */
  version: string
  text: string
}

export function EditFile({ where, file, version, text }: EditFileProps) {
  const [result, send, busy] = useActionState(saveFile, null)
  const [typed, setTyped] = useState(text)
  const [base, setBase] = useState({ text, version })
  const latest = useRef({ text, version })
  latest.current = { text, version }
  // A new content comes with the page after a save; somebody else's never takes the place of what is being typed.
  useEffect(() => {
    if (!result?.ok) return
    toast.success(result.message)
    setBase(latest.current)
  }, [result])
  useEffect(() => {
    if (typed === text) setBase({ text, version })
  }, [typed, text, version])
  // Sent from here, because React would empty the form after its action, also when the answer was no.
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    startTransition(() => send(fields))
  }
  const mistake = result && !result.ok ? (result.fields?.content ?? result.message) : undefined
  return (
    <form onSubmit={save} className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <input type="hidden" name="where" value={where} />
      <input type="hidden" name="file" value={file} />
      <input type="hidden" name="version" value={base.version} />
      <input type="hidden" name="lines" value={text.includes('\r\n') ? 'crlf' : 'lf'} />
      <Field id="file-content" label="Content" mistake={mistake}>
        <TextArea
          {...fieldProps('file-content', mistake)}
          name="content"
          value={typed}
          rows={Math.min(30, Math.max(8, typed.split('\n').length + 1))}
          spellCheck={false}
          onChange={(event) => setTyped(event.target.value)}
          className="font-mono text-xs"
        />
      </Field>
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={busy || typed === base.text} className="max-sm:h-10">
          {busy ? 'Saving…' : 'Save'}
        </Button>
        {typed !== base.text && (
          <Button look="ghost" onClick={() => setTyped(text)} className="max-sm:h-10">
            Undo my changes
          </Button>
        )}
      </div>
    </form>
  )
}
