'use client'

import { ArrowUp, Paperclip, Square, X } from 'lucide-react'
import { type ClipboardEvent, type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { imageTypes, isRecording, playgroundLimits as limits } from '../../../playground/limits.ts'

interface NewMessage {
  eventId: string
  text: string
  files: File[]
}

interface ComposerProps {
  /** Resolves with what is wrong, or null when it was taken. Called again with the same id for the same message. */
  send: (message: NewMessage) => Promise<string | null>
  /** Ends what the agent does now; null when it does nothing. */
  stop: (() => void) | null
  disabled?: string | null
  placeholder: string
  /** A phrase to begin with, from outside; a new object each time. */
  phrase?: { text: string } | null
}

export function Composer({ send, stop, disabled, placeholder, phrase }: ComposerProps) {
  const [text, setText] = useState('')
  const [files, setFiles] = useState<File[]>([])
  const [mistake, setMistake] = useState<string | null>(null)
  // Of a message that came back: a second try after a lost answer must not be a second message.
  const eventId = useRef<string | null>(null)
  // The first is on its way, the others behind it keep their order. The field is free for the next one at once.
  const queue = useRef<NewMessage[]>([])
  const input = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)

  useEffect(() => {
    if (!phrase) return
    setText(phrase.text)
    input.current?.focus()
  }, [phrase])

  const add = (more: File[]) => {
    if (!more.length) return
    const all = [...files, ...more]
    const wrong =
      all.length > limits.files ? `A message has at most ${limits.files} files.` : more.map(tooLarge).find(Boolean)
    setMistake(wrong ?? null)
    if (!wrong) setFiles(all)
    eventId.current = null
  }

  const submit = () => {
    if (disabled || (!text.trim() && !files.length)) return
    queue.current.push({ eventId: eventId.current ?? newEventId(), text, files })
    eventId.current = null
    setText('')
    setFiles([])
    setMistake(null)
    if (queue.current.length === 1) void sendQueue()
    input.current?.focus()
  }

  const sendQueue = async () => {
    for (let message = queue.current[0]; message; message = queue.current[0]) {
      const wrong = await send(message).catch(
        () => 'The console did not answer. Your message is still here; send it again.',
      )
      if (wrong) return giveBack(queue.current.splice(0), wrong)
      queue.current.shift()
    }
  }

  /** With what was sent after it, which must not overtake it, before what was written meanwhile. */
  const giveBack = (messages: NewMessage[], wrong: string) => {
    const [first, ...others] = messages
    const now = input.current?.value ?? ''
    eventId.current = others.length || now ? null : (first?.eventId ?? null)
    setText([...messages.map((message) => message.text), now].filter(Boolean).join('\n'))
    setFiles((chosen) => [...messages.flatMap((message) => message.files), ...chosen])
    setMistake(wrong)
    input.current?.focus()
  }

  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault()
      submit()
    }
  }

  return (
    <form
      aria-label="Your message"
      className="px-3 pb-3 md:px-5 md:pb-4"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
      onDragOver={(event: DragEvent) => event.preventDefault()}
      onDrop={(event: DragEvent) => {
        event.preventDefault()
        add([...event.dataTransfer.files])
      }}
    >
      <div className="mx-auto max-w-3xl">
        <p role="alert" className="pb-1.5 text-bad text-sm empty:hidden">
          {mistake}
        </p>
        <div className="rounded-xl border border-line-strong bg-panel shadow-lift focus-within:border-accent">
          {files.length > 0 && (
            <ul aria-label="Attached files" className="flex flex-wrap gap-1.5 px-2.5 pt-2.5">
              {files.map((file, index) => (
                <li
                  // biome-ignore lint/suspicious/noArrayIndexKey: two files may have the same name, and none moves.
                  key={index}
                  className="flex h-7 max-w-56 items-center gap-1.5 rounded-md border border-line bg-sunken pr-1 pl-2 text-xs"
                >
                  <span className="truncate">{file.name || 'an image'}</span>
                  <button
                    type="button"
                    aria-label={`Remove ${file.name || 'the image'}`}
                    className="rounded p-0.5 text-ink-3 hover:bg-line hover:text-ink"
                    onClick={() => setFiles(files.filter((_, other) => other !== index))}
                  >
                    <X aria-hidden="true" className="size-3.5" />
                  </button>
                </li>
              ))}
            </ul>
          )}
          <textarea
            ref={input}
            aria-label="Message"
            rows={1}
            value={text}
            disabled={Boolean(disabled)}
            placeholder={disabled ?? placeholder}
            maxLength={limits.messageLength}
            onChange={(event) => {
              setText(event.target.value)
              eventId.current = null
            }}
            onKeyDown={onKey}
            onPaste={(event: ClipboardEvent) => add([...event.clipboardData.files])}
            className="field-sizing-content block max-h-60 min-h-11 w-full resize-none bg-transparent px-3.5 pt-3 pb-1 text-base outline-none placeholder:text-ink-3 max-sm:text-lg"
          />
          <div className="flex items-center gap-1.5 px-2 pb-2">
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              accept={`${imageTypes.join(',')},audio/*,text/*,.md,.json,.csv,.log,.ts,.js,.py,.yml,.yaml,.toml`}
              onChange={(event) => {
                add([...(event.target.files ?? [])])
                event.target.value = ''
              }}
            />
            <Button
              look="ghost"
              size="icon"
              aria-label="Attach images, recordings or text files"
              title={`Images up to ${limits.imageBytes / 1024 / 1024} MB, recordings up to ${limits.recordingBytes / 1024 / 1024} MB, text up to ${limits.textBytes / 1024} KB`}
              disabled={Boolean(disabled)}
              onClick={() => picker.current?.click()}
            >
              <Paperclip aria-hidden="true" />
            </Button>
            <span className="flex-1 text-2xs text-ink-3 max-sm:hidden">
              Enter sends · Shift+Enter for a new line{stop ? ' · Esc stops' : ''}
            </span>
            <span className="flex-1 sm:hidden" />
            {stop && (
              <Button look="danger" onClick={stop}>
                <Square aria-hidden="true" className="fill-current" /> Stop
              </Button>
            )}
            <Button
              type="submit"
              look="primary"
              size="icon"
              aria-label="Send"
              disabled={Boolean(disabled) || (!text.trim() && !files.length)}
            >
              <ArrowUp aria-hidden="true" />
            </Button>
          </div>
        </div>
      </div>
    </form>
  )
}

function tooLarge(file: File): string | null {
  const isImage = imageTypes.includes(file.type)
  const isSound = isRecording(file.type)
  const most = isImage ? limits.imageBytes : isSound ? limits.recordingBytes : limits.textBytes
  if (file.size <= most) return null
  const size = isImage || isSound ? `${most / 1024 / 1024} MB` : `${most / 1024} KB`
  return `${file.name} is larger than ${size}, so it cannot be read.`
}

/** `crypto.randomUUID` is there only over https and on localhost; these random numbers are there everywhere. */
export function newEventId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
