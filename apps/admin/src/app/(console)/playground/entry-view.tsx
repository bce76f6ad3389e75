'use client'

import { CircleAlert, Download, FileText, Info } from 'lucide-react'
import { Markdown } from '../../../components/markdown.tsx'
import type { Entry, FileView, SentFileView } from '../../../playground/view.ts'
import { QuestionCard } from '../../../question-card/question-card.tsx'
import { Activity } from './activity.tsx'
import type { LiveState } from './use-session.ts'

interface EntryViewProps {
  entry: Entry
  clock: Date
  timezone: string
  live: LiveState
  /** The run ended with this entry, and badly: it must not be overlooked. */
  failed: boolean
  onAnswered: () => Promise<void>
}

export function EntryView({ entry, clock, timezone, live, failed, onAnswered }: EntryViewProps) {
  switch (entry.kind) {
    case 'said':
      return <Said text={entry.text} files={entry.files} />
    case 'answer':
      return (
        <article aria-label="Answer" className="text-base">
          <Markdown text={entry.text} />
        </article>
      )
    case 'activity':
      return <Activity call={entry.call} line={live.lines[entry.call.toolUseId]} />
    case 'question':
      return <QuestionCard card={entry.card} clock={clock} timezone={timezone} onAnswered={onAnswered} />
    case 'file':
      return <SentFile file={entry.file} />
    case 'notice':
      return failed ? (
        <p className="flex gap-2 rounded-md bg-bad-soft px-3 py-2 text-bad">
          <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          {entry.text}
        </p>
      ) : (
        <p className="flex gap-2 text-ink-3 text-xs">
          <Info aria-hidden="true" className="mt-0.5 size-3.5 shrink-0" />
          {entry.text}
        </p>
      )
  }
}

/** A picture is shown; anything else is a download. */
function SentFile({ file: { name, address, isImage, caption } }: { file: SentFileView }) {
  return (
    <figure aria-label={`File ${name}`} className="grid w-fit max-w-full gap-1">
      {isImage ? (
        <a href={address} target="_blank" rel="noreferrer">
          {/* biome-ignore lint/performance/noImgElement: it is read with the session's own rights and never resized. */}
          <img src={address} alt={caption ?? name} className="max-h-96 max-w-full rounded-lg border border-line" />
        </a>
      ) : (
        <a
          href={address}
          download={name}
          className="flex min-h-9 w-fit items-center gap-2 rounded-lg border border-line bg-panel px-3 py-1.5 hover:bg-line"
        >
          <Download aria-hidden="true" className="size-4 text-ink-3" />
          {name}
        </a>
      )}
      {(caption || isImage) && <figcaption className="text-ink-2 text-xs">{caption ?? name}</figcaption>}
    </figure>
  )
}

/** What a person wrote, exactly as they wrote it. */
export function Said({ text, files, note }: { text: string; files: FileView[]; note?: string }) {
  return (
    <article
      aria-label="Your message"
      className="ml-auto w-fit min-w-0 max-w-[85%] rounded-2xl rounded-br-md bg-accent-soft px-3.5 py-2 text-base"
    >
      {files.length > 0 && (
        <ul className="mb-1.5 flex flex-wrap gap-1.5">
          {files.map((file, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two files may have the same name, and none moves.
            <li key={index}>
              {file.image ? (
                // biome-ignore lint/performance/noImgElement: it is part of the message and has no address to optimize.
                <img src={file.image} alt={file.name} className="max-h-48 max-w-full rounded-md" />
              ) : (
                <span className="flex h-7 items-center gap-1.5 rounded-md border border-line bg-panel px-2 text-xs">
                  <FileText aria-hidden="true" className="size-3.5 text-ink-3" />
                  {file.name}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      <p className="whitespace-pre-wrap break-words">{text}</p>
      {note && <p className="text-2xs text-ink-2">{note}</p>}
    </article>
  )
}

/** The answer while it is written. It is read out once it is there as a whole. */
export function Writing({ text }: { text: string }) {
  return (
    <div data-writing className="text-base">
      <Markdown text={text} writing />
    </div>
  )
}
