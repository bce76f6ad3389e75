'use client'

import { MessagesSquare } from 'lucide-react'
import { useRef, useState } from 'react'
import { Field, fieldProps } from '../../../components/field.tsx'
import { Select } from '../../../components/input.tsx'
import { sendMessage } from './actions.ts'
import { Composer, newEventId } from './composer.tsx'
import type { Answering, ListedAgent } from './queries.ts'

/** What the model that needs no account understands; docs/model.md has all of it. */
const phrases = [
  { text: 'list files', about: 'Lists the files of the work folder' },
  { text: 'write hello to notes.txt', about: 'Writes a file, after you confirm it' },
  { text: 'ask me to choose between tea, coffee and water', about: 'Shows how it asks you something' },
  { text: 'what can you do?', about: 'Names everything it understands' },
]

const about: Record<Answering, string> = {
  model: 'To begin with:',
  offline:
    'No model is connected, so the offline model answers: no AI, but a small stand-in that needs no key. It understands phrases like these:',
  nobody: 'No bot is running, so what you write waits until one is (npm start). To begin with:',
}

interface NewSessionProps {
  agents: ListedAgent[]
  /** The agent of the address; one that is not among them chooses nothing. */
  chosen: string | null
  answering: Answering
}

export function NewSession({ agents, chosen, answering }: NewSessionProps) {
  const [agentId, setAgentId] = useState((agents.find(({ id }) => id === chosen) ?? agents[0])?.id ?? '')
  const [phrase, setPhrase] = useState<{ text: string } | null>(null)
  // One name for the session however often its first message is sent, so that it becomes one session.
  const sessionId = useRef<string | null>(null)
  const agent = agents.find(({ id }) => id === agentId)

  const send = async ({ eventId, text, files }: { eventId: string; text: string; files: File[] }) => {
    sessionId.current ??= newEventId()
    const form = new FormData()
    form.set('sessionId', sessionId.current)
    form.set('eventId', eventId)
    form.set('agentId', agentId)
    form.set('text', text)
    for (const file of files) form.append('files', file)
    const result = await sendMessage(null, form)
    // Taken, it leads to the session and nothing comes back.
    return result && !result.ok ? result.message : null
  }

  return (
    <>
      <div className="grid min-h-0 flex-1 place-items-center overflow-y-auto px-4 py-8">
        <div className="w-full max-w-lg">
          <MessagesSquare aria-hidden="true" strokeWidth={1.5} className="mx-auto mb-3 size-7 text-accent" />
          <h2 className="text-center font-semibold text-lg">Try an agent here</h2>
          <p className="mt-1 mb-5 text-balance text-center text-ink-2">
            The same agent, tools, policy and questions as on every other channel. Every tool call is checked and
            recorded.
          </p>
          {agents.length === 0 ? (
            <p className="text-center text-ink-3">This workspace has no agent yet, so nobody can answer.</p>
          ) : (
            <Field id="agent" label="Agent" hint={agent?.description || undefined}>
              <Select {...fieldProps('agent')} value={agentId} onChange={(event) => setAgentId(event.target.value)}>
                {agents.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </Select>
            </Field>
          )}
          <p className="mt-6 mb-2 text-ink-3 text-xs">{about[answering]}</p>
          <ul className="grid gap-1.5 sm:grid-cols-2">
            {phrases.map(({ text, about }) => (
              <li key={text}>
                <button
                  type="button"
                  onClick={() => setPhrase({ text })}
                  className="h-full w-full rounded-lg border border-line bg-panel px-3 py-2 text-left hover:border-line-strong hover:bg-sunken"
                >
                  <span className="block font-mono text-ink text-xs">{text}</span>
                  <span className="block text-2xs text-ink-3">{about}</span>
                </button>
              </li>
            ))}
          </ul>
        </div>
      </div>
      <Composer
        send={send}
        stop={null}
        disabled={agents.length ? null : 'There is no agent to write to.'}
        placeholder={`Write to ${agent?.name ?? 'an agent'}`}
        phrase={phrase}
      />
    </>
  )
}
