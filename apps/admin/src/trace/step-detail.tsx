import type { ReactNode } from 'react'
import { Facts } from '../components/facts.tsx'
import { Markdown } from '../components/markdown.tsx'
import { TextBlock } from '../components/text-block.tsx'
import { formatCost, formatCount, formatDuration, formatWhen } from '../format.ts'
import type { MessageView, StepView } from './read-step.ts'

const stops: Record<string, string> = {
  end_turn: 'it had said all',
  tool_use: 'it asked for tools',
  max_tokens: 'its answer was too long',
  stop_sequence: 'it came to a mark to stop at',
  pause_turn: 'it made a pause',
  refusal: 'it declined to answer',
  model_context_window_exceeded: 'the conversation filled its context',
  stopped: 'somebody stopped it',
  by_hand: 'a person named the tools',
}

interface StepDetailProps {
  step: StepView
  /** When its run ended: a call that has not answered by then never will. */
  finishedAt: Date | null
  now: Date
  timezone: string
}

/** One model call: what it took, why it stopped, what it wrote. */
export function StepDetail({ step, finishedAt, now, timezone }: StepDetailProps) {
  const both = step.inputTokens === null ? null : step.inputTokens + (step.outputTokens ?? 0)
  return (
    <article aria-label={`Step ${step.number}`} className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-5">
      <h2 className="font-semibold text-lg">{step.byHand ? 'Called by hand' : 'Model call'}</h2>
      <Facts
        facts={[
          ['Step', step.number],
          ['Model', step.model && <code className="font-mono text-xs">{step.model}</code>],
          ['Began', formatWhen(step.from, timezone)],
          ['Took', formatDuration((step.to ?? finishedAt ?? now).getTime() - step.from.getTime())],
          ['Tokens in', step.inputTokens === null ? null : formatCount(step.inputTokens)],
          ['Tokens out', step.outputTokens === null ? null : formatCount(step.outputTokens)],
          ['Cost', both === null || step.costMicros === null ? null : formatCost(step.costMicros)],
          ['Tries', step.attempts !== null && step.attempts > 1 ? step.attempts : null],
          ['Stopped because', step.stopReason && (stops[step.stopReason] ?? step.stopReason)],
        ]}
      />
      {step.text && (
        <Part title="What it wrote">
          <Markdown text={step.text} />
        </Part>
      )}
      {step.uses.map(({ name, input }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step may ask for the same twice, and nothing moves.
        <TextBlock key={index} title={`Asked for ${name}`} text={input} />
      ))}
      {!step.text && !step.uses.length && (
        <p className="text-ink-3">
          {step.to ? 'It wrote nothing.' : finishedAt ? 'It never answered.' : 'It has not answered yet.'}
        </p>
      )}
    </article>
  )
}

/** What somebody said to begin the run, or while it worked. */
export function MessageDetail({ message, timezone }: { message: MessageView; timezone: string }) {
  return (
    <article aria-label={`Message from ${message.by}`} className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-5">
      <h2 className="font-semibold text-lg">Message from {message.by}</h2>
      <Facts
        facts={[
          ['Said', formatWhen(message.at, timezone)],
          ['With it', message.files.join(', ')],
        ]}
      />
      {message.text && (
        <Part title="What they wrote">
          <p className="whitespace-pre-wrap break-words">{message.text}</p>
        </Part>
      )}
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
