import type { RunStatus, ToolCallStatus } from '@quartermaster/db'
import { Tag, type Tone } from './tag.tsx'

const runTones: Record<RunStatus, Tone> = {
  queued: 'mute',
  running: 'accent',
  waiting: 'wait',
  succeeded: 'ok',
  failed: 'bad',
  stopped: 'mute',
}

export function RunStatusTag({ status }: { status: RunStatus }) {
  return (
    <Tag tone={runTones[status]} dot={status === 'running' || status === 'waiting'}>
      {status}
    </Tag>
  )
}

const callTones: Record<ToolCallStatus, Tone> = {
  requested: 'mute',
  asking: 'wait',
  approved: 'accent',
  running: 'accent',
  succeeded: 'ok',
  failed: 'bad',
  interrupted: 'warn',
  refused: 'bad',
  denied: 'bad',
}

export function CallStatusTag({ status }: { status: ToolCallStatus }) {
  return (
    <Tag tone={callTones[status]} dot={status === 'running' || status === 'asking'}>
      {status}
    </Tag>
  )
}

const decisionTones = { allow: 'ok', ask: 'wait', deny: 'bad' } as const
const decisionWords = { allow: 'allowed', ask: 'asked', deny: 'denied' } as const

/** What the policy decided; nothing while it has not. */
export function DecisionTag({ decision }: { decision: keyof typeof decisionTones | null }) {
  return decision && <Tag tone={decisionTones[decision]}>{decisionWords[decision]}</Tag>
}
