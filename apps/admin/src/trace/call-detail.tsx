import { Ban, Check, CircleHelp, Download, ShieldAlert, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { QuestionEntry } from '../app/(console)/approvals/question-entry.tsx'
import { Facts } from '../components/facts.tsx'
import { CallStatusTag, DecisionTag } from '../components/run-status.tsx'
import { Tag } from '../components/tag.tsx'
import { TextBlock } from '../components/text-block.tsx'
import { When } from '../components/when.tsx'
import { formatCount, formatDuration, formatWhen } from '../format.ts'
import type { FoundCard } from '../question-card/read-cards.ts'
import { AnswerKeys } from './answer-keys.tsx'
import { LongText } from './long-text.tsx'
import type { CallDetailView, CallFileView, Finding } from './read-call.ts'

interface CallDetailProps {
  call: CallDetailView
  now: Date
  timezone: string
  /** More facts, e.g. a link to its run. */
  facts?: readonly (readonly [name: string, value: ReactNode])[]
}

/** One tool call: what it was asked to do, who let it, and what came of it. */
export function CallDetail({ call, now, timezone, facts = [] }: CallDetailProps) {
  const open = call.questions.filter(({ card }) => card.closed === null)
  const over = call.questions.filter(({ card }) => card.closed !== null)
  return (
    <article aria-label={`${call.title} (${call.tool})`} className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-5">
      <header className="grid gap-2">
        <p className="flex flex-wrap items-center gap-1.5">
          <DecisionTag decision={call.decision} />
          <CallStatusTag status={call.status} />
          {call.taint.length > 0 && <Tag tone="warn">untrusted output</Tag>}
        </p>
        <h2 className="break-words font-semibold text-lg">{call.title}</h2>
      </header>
      <Facts
        facts={[
          [
            'Tool',
            <code className="font-mono text-xs" key="tool">
              {call.tool}
            </code>,
          ],
          ['Effect', call.effect],
          ...facts,
          ['Requested', <When date={call.requestedAt} now={now} timezone={timezone} key="requested" />],
          ['Took', call.durationMs === null ? null : formatDuration(call.durationMs)],
          ['Wrote', call.outputBytes === null ? null : `${formatCount(call.outputBytes)} bytes`],
          ['Edited by', call.editedBy],
        ]}
      />
      {open.map((found) => (
        <Asking key={found.card.id} found={found} now={now} timezone={timezone} />
      ))}
      <TextBlock title={call.editedBy ? 'Arguments, as they were changed' : 'Arguments'} text={call.arguments} />
      {call.error && (
        <Part title="Error">
          <p className="whitespace-pre-wrap break-words rounded-md bg-bad-soft px-3 py-2 text-bad text-sm">
            {call.error}
          </p>
        </Part>
      )}
      {call.output !== null && call.output !== '' && <LongText title="Output" text={call.output} />}
      {call.files.length > 0 && <Files files={call.files} />}
      {call.findings.length > 0 && <Findings findings={call.findings} />}
      {call.taint.length > 0 && (
        <Part title="Strangers’ content in it">
          <ul className="grid gap-1">
            {call.taint.map((source) => (
              <li key={source} className="flex gap-2 break-all">
                <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />
                {source}
              </li>
            ))}
          </ul>
          <p className="text-ink-3 text-xs">From here on whatever leaves the building asks first.</p>
        </Part>
      )}
      {call.trail.length > 0 && <Trail call={call} />}
      {over.map((found) => (
        <Answered key={found.card.id} found={found} timezone={timezone} />
      ))}
    </article>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid min-w-0 gap-1.5">
      <h3 className="font-semibold text-sm">{title}</h3>
      {children}
    </section>
  )
}

/** The very card of the chat, with A and D for the two buttons that matter. */
export function Asking({ found, now, timezone }: { found: FoundCard; now: Date; timezone: string }) {
  const { card, agent, requester, askedAt, answers } = found
  return (
    <AnswerKeys
      label={`Answer “${card.title}”`}
      hint={card.mayAnswer && (card.kind === 'confirmation' || card.kind === 'plan')}
    >
      <QuestionEntry
        card={card}
        agent={agent}
        requester={requester}
        askedAt={askedAt}
        now={now.toISOString()}
        timezone={timezone}
      />
      {answers.length > 0 && <Answers found={found} timezone={timezone} />}
    </AnswerKeys>
  )
}

const surfaces: Record<string, string> = {
  slack: 'in Slack',
  telegram: 'in Telegram',
  web: 'in the console',
  api: 'over the API',
}

/** A question that is over: who might have answered, who did, when and where. */
export function Answered({ found, timezone }: { found: FoundCard; timezone: string }) {
  const { card, whoMayAnswer, askedAt, escalatedAt } = found
  return (
    <Part title={card.kind === 'confirmation' ? 'What was asked' : 'The question'}>
      <p className="break-words">{card.title}</p>
      <Facts
        facts={[
          ['Asked', formatWhen(askedAt, timezone)],
          ['Might answer', whoMayAnswer],
          ['Escalated', escalatedAt && formatWhen(escalatedAt, timezone)],
          ['Ended', card.closed && `${card.closed.sentence} · ${formatWhen(new Date(card.closed.at), timezone)}`],
        ]}
      />
      <Answers found={found} timezone={timezone} />
    </Part>
  )
}

function Answers({ found, timezone }: { found: FoundCard; timezone: string }) {
  return (
    <ul className="grid gap-1">
      {found.answers.map((answer) => (
        <li key={`${answer.by}${answer.at.toISOString()}`} className="flex gap-2">
          {answer.verdict === 'approve' ? (
            <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-ok" />
          ) : (
            <Ban aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-bad" />
          )}
          <span className="min-w-0 break-words">
            {answer.by} {answer.verdict === 'approve' ? (answer.value ? 'chose' : 'approved') : 'said no'}
            {answer.value && answer.verdict === 'approve' && ` “${answer.value}”`}
            {answer.reason && `: ${answer.reason}`}
            <span className="text-ink-3">
              {' '}
              {surfaces[answer.surface] ?? `in ${answer.surface}`}, {formatWhen(answer.at, timezone)}
            </span>
          </span>
        </li>
      ))}
    </ul>
  )
}

const verdicts = {
  allow: { icon: Check, look: 'text-ok', word: 'allowed' },
  ask: { icon: CircleHelp, look: 'text-wait', word: 'asks' },
  deny: { icon: Ban, look: 'text-bad', word: 'denied' },
}

const titles = { allow: 'Why it was allowed', ask: 'Why it asks', deny: 'Why it was denied' }

function Trail({ call }: { call: CallDetailView }) {
  return (
    <Part title={call.decision ? titles[call.decision] : 'The decision so far'}>
      <ol className="grid gap-1">
        {call.trail.map(({ layer, verdict, sentence, source }, index) => {
          const { icon: Icon, look, word } = verdicts[verdict ?? 'allow']
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: two reasons may read the same, and none moves.
            <li key={index} className="flex gap-2">
              <Icon aria-label={word} className={`mt-0.5 size-4 shrink-0 ${look}`} />
              <span className="min-w-0 break-words text-ink-2">
                {layer && <span className="text-ink-3">{layer}: </span>}
                {sentence}
                {source && !sentence.includes(source) && (
                  <code className="ml-1 font-mono text-2xs text-ink-3">{source}</code>
                )}
              </span>
            </li>
          )
        })}
      </ol>
    </Part>
  )
}

function Findings({ findings }: { findings: Finding[] }) {
  return (
    <Part title="What the scan noticed">
      <ul className="grid gap-1.5">
        {findings.map(({ what, excerpt }) => (
          <li key={what} className="flex gap-2">
            <ShieldAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />
            <span className="min-w-0">
              {what}
              {excerpt && <code className="block break-words font-mono text-2xs text-ink-3">{excerpt}</code>}
            </span>
          </li>
        ))}
      </ul>
    </Part>
  )
}

function Files({ files }: { files: CallFileView[] }) {
  return (
    <Part title={files.length === 1 ? 'File' : 'Files'}>
      <ul className="grid gap-2">
        {files.map((file) => (
          <li key={file.address}>
            {file.isImage ? (
              <a href={file.address} target="_blank" rel="noreferrer">
                {/* biome-ignore lint/performance/noImgElement: it is read with the session's own rights and never resized. */}
                <img
                  src={file.address}
                  alt={file.caption ?? file.name}
                  className="max-h-72 max-w-full rounded-lg border border-line"
                />
              </a>
            ) : (
              <a
                href={file.address}
                download={file.name}
                className="flex min-h-9 w-fit items-center gap-2 rounded-lg border border-line bg-panel px-3 py-1.5 hover:bg-line"
              >
                <Download aria-hidden="true" className="size-4 text-ink-3" />
                {file.name}
              </a>
            )}
            {file.caption && <p className="text-ink-2 text-xs">{file.caption}</p>}
          </li>
        ))}
      </ul>
    </Part>
  )
}
