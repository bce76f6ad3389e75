'use client'

import { FlaskConical } from 'lucide-react'
import dynamic from 'next/dynamic'
import { type FormEvent, useState } from 'react'
import { Button } from '../../../../components/button.tsx'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { Field, fieldProps } from '../../../../components/field.tsx'
import { Select } from '../../../../components/input.tsx'
import type { SessionView } from '../../../../playground/view.ts'
import type { Mistakes } from '../../../../schema-form/mistakes.ts'
import { isSchema, startValue } from '../../../../schema-form/shape.ts'
import { tryTool } from '../actions.ts'

// Most who look at a tool do not try it.
const SchemaForm = dynamic(() => import('../../../../schema-form/schema-form.tsx').then((file) => file.SchemaForm))
const Trial = dynamic(() => import('./trial.tsx').then((file) => file.Trial))

interface TryItProps {
  tool: { id: string; name: string; schema: unknown }
  /** `refused`: why the policy would not let it, before any arguments are known. */
  agents: readonly { id: string; name: string; refused: string | null }[]
  botAlive: boolean
  now: string
  timezone: string
}

/** The tool by hand, as one of the agents: the same policy, questions, executor and record. */
export function TryIt({ tool, agents, botAlive, now, timezone }: TryItProps) {
  const [open, setOpen] = useState(false)
  const [agentId, setAgentId] = useState(agents.find(({ refused }) => !refused)?.id ?? agents[0]?.id ?? '')
  const [value, setValue] = useState<unknown>(() =>
    isSchema(tool.schema) ? (startValue(tool.schema, tool.schema) ?? {}) : {},
  )
  const [mistakes, setMistakes] = useState<Mistakes>({})
  const [message, setMessage] = useState<string | null>(null)
  const [unreadable, setUnreadable] = useState(false)
  const [busy, setBusy] = useState(false)
  const [tried, setTried] = useState<{ session: SessionView; sessionId: string; agentId: string } | null>(null)
  const refused = agents.find(({ id }) => id === agentId)?.refused ?? null

  const send = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setMessage(null)
    setMistakes({})
    try {
      // Each try is a session of its own: what came before has no say in it, and it can be gone on with by talking.
      const sessionId = `try-${crypto.randomUUID()}`
      const form = new FormData()
      form.set('toolId', tool.id)
      form.set('agentId', agentId)
      form.set('sessionId', sessionId)
      form.set('eventId', crypto.randomUUID())
      form.set('arguments', JSON.stringify(value ?? {}))
      const result = await tryTool(null, form)
      if (!result.ok) {
        const { arguments: whole, ...fields } = result.fields ?? {}
        setMistakes(fields)
        setMessage(whole ?? result.message)
        return
      }
      const answer = await fetch(`/api/playground/sessions/${result.once?.conversationId}`, { cache: 'no-store' })
      if (!answer.ok) throw new Error(`the session could not be read: ${answer.status}`)
      setTried({ session: (await answer.json()) as SessionView, sessionId, agentId })
    } catch {
      setMessage('The console did not answer. Look at the recent uses below before you try again.')
    } finally {
      setBusy(false)
    }
  }

  return (
    <Card className="pb-3">
      <CardHeader
        title="Try it"
        about="It runs as an agent would run it: the same policy, the same questions, and a record of it as yours."
      >
        {!open && agents.length > 0 && (
          <Button look="primary" size="small" onClick={() => setOpen(true)} className="max-sm:h-10">
            <FlaskConical aria-hidden="true" />
            Try it
          </Button>
        )}
      </CardHeader>
      {agents.length === 0 && <p className="px-4 text-ink-3">There is no agent to try it as yet.</p>}
      {open && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4 px-4 pt-2">
          {!botAlive && (
            <p role="status" className="rounded-md bg-warn-soft px-3 py-2 text-warn">
              No bot is alive. What you send waits until one is; start everything with “npm start”.
            </p>
          )}
          <form onSubmit={send} className="grid grid-cols-[minmax(0,1fr)] gap-4">
            <Field
              id="try-agent"
              label="As which agent"
              hint={refused ? `It would be refused: ${refused}.` : undefined}
            >
              <div className="sm:max-w-72">
                <Select
                  {...fieldProps('try-agent')}
                  value={agentId}
                  onChange={(event) => setAgentId(event.target.value)}
                >
                  {agents.map(({ id, name, refused: why }) => (
                    <option key={id} value={id}>
                      {why ? `${name} (refused)` : name}
                    </option>
                  ))}
                </Select>
              </div>
            </Field>
            <SchemaForm
              schema={tool.schema}
              value={value}
              onChange={setValue}
              mistakes={mistakes}
              idPrefix="try"
              label="Arguments"
              onUnreadable={setUnreadable}
            />
            <p role="alert" className="text-bad text-sm empty:hidden">
              {message}
            </p>
            <div>
              <Button type="submit" look="primary" disabled={busy || unreadable} className="max-sm:h-10">
                {busy ? 'Sending…' : 'Run it'}
              </Button>
            </div>
          </form>
          {tried && (
            <Trial key={tried.session.id} first={tried.session} botAlive={botAlive} now={now} timezone={timezone} />
          )}
        </div>
      )}
    </Card>
  )
}
