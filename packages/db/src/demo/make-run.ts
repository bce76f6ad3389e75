// One run of the demo, told as the transitions would have written it: its messages, events, tool calls, questions and
// deliveries, from the moment it was asked for to its end, or to the question it waits at.
import { mayAnswer } from '../approvers.ts'
import { type Decided, decide, describeCall } from './decide.ts'
import { type DemoMember, type Directory, toolVersion } from './make-workspace.ts'
import { type AgentSeed, type AgentSlug, agents, tools } from './northwind.ts'
import { type Random, sha256 } from './random.ts'
import { Rows } from './rows.ts'
import type { Call, Turn } from './story.ts'

export interface Thread {
  id: string
  agent: AgentSlug
  channel: 'slack' | 'telegram' | 'web'
  nextMessage: number
  nextDelivery: number
  /** Tokens of everything said so far. */
  tokens: number
}

export interface RunPlan {
  turn: Turn
  title: string
  at: number
  requester: DemoMember | null
  trigger: 'message' | 'schedule'
  /** How it goes wrong, if it does, and at which model call. */
  fails?: { code: string; message: string; atStep: number }
  stopsAtStep?: number
  /** It waits at its first question, which is still open. */
  waits?: boolean
}

export interface ToldRun {
  rows: Rows
  endsAt: number
  outcome: 'succeeded' | 'failed' | 'stopped' | 'waiting' | 'denied'
  nextMessage: number
  nextDelivery: number
  tokens: number
}

/** Dollars for a million tokens, in and out: millionths of a dollar for one. */
const prices = { fast: [0.1, 0.5], balanced: [2, 10], deep: [4, 20] } as const
const models = { fast: 'claude-haiku-5-5', balanced: 'claude-sonnet-5-5', deep: 'claude-opus-5-5' } as const
const thinkingMs = { fast: 900, balanced: 2_100, deep: 3_900 } as const
const untrusted = /^(web\.|email\.|mcp:helpdesk:(search|get))/

export function makeRun(random: Random, directory: Directory, thread: Thread, plan: RunPlan): ToldRun {
  return new RunTelling(random, directory, thread, plan).tell()
}

class RunTelling {
  readonly rows = new Rows()
  readonly random: Random
  readonly directory: Directory
  readonly thread: Thread
  readonly plan: RunPlan
  readonly agent: AgentSeed
  readonly runId: string
  readonly agentId: string
  readonly workspaceId: string
  readonly processId: string
  clock: number
  claim = 0
  steps = 0
  inputTokens = 0
  outputTokens = 0
  taintedAt: number | null = null
  startedAt: number | null = null
  /** Set when a person said no, or nobody said anything. */
  denial: string | null = null

  constructor(random: Random, directory: Directory, thread: Thread, plan: RunPlan) {
    this.random = random
    this.directory = directory
    this.thread = { ...thread }
    this.plan = plan
    this.agent = agents.find((agent) => agent.slug === thread.agent) as AgentSeed
    this.agentId = directory.agents[thread.agent].id
    this.workspaceId = directory.workspaceId
    this.clock = plan.at
    this.runId = random.id('run', new Date(plan.at))
    this.processId = `prc_demo_${random.int(1, 3)}`
  }

  tell(): ToldRun {
    const { plan, random } = this
    if (plan.trigger === 'message') this.receive()
    this.event('run-queue', { reason: plan.trigger })
    this.message('user', [{ type: 'text', text: plan.turn.ask }], plan.requester?.id ?? null)
    this.clock += random.int(90, 700)
    this.start()
    for (const [index, calls] of plan.turn.steps.entries()) {
      const ended = this.think(index)
      if (ended) return ended
      const settled = this.act(calls, index === 0 ? plan.turn.say : undefined)
      if (!settled) return this.end('waiting')
      if (this.denial) break
    }
    const ended = this.think(plan.turn.steps.length)
    if (ended) return ended
    const answer = this.denial ?? plan.turn.answer
    this.message('assistant', [{ type: 'text', text: answer }])
    this.deliver('message', { text: answer }, null)
    this.clock += random.int(20, 90)
    return this.end('succeeded')
  }

  receive(): void {
    const { thread, random } = this
    this.rows.add('inbound_events', {
      channel_id: this.directory.channels[thread.channel],
      external_id:
        thread.channel === 'slack' ? `Ev0${random.hex(8).toUpperCase()}` : `${thread.channel}-${random.hex(10)}`,
      workspace_id: this.workspaceId,
      kind: 'message',
      conversation_id: thread.id,
      message_number: thread.nextMessage,
      run_id: this.runId,
      received_at: iso(this.clock),
    })
  }

  start(): void {
    this.claim++
    this.startedAt ??= this.clock
    this.event('run-start', { claimNumber: this.claim, processId: this.processId })
  }

  /** One model call. Answers the run's end when this is where it fails or is stopped. */
  think(step: number): ToldRun | null {
    const { random, plan } = this
    const tier = this.agent.model
    this.event('model-start', { model: models[tier] })
    if (plan.fails?.atStep === step) {
      this.clock += random.skewed(plan.fails.code === 'budget-exceeded' ? 200 : 9_000)
      return this.end('failed')
    }
    this.clock += random.skewed(thinkingMs[tier], 0.45)
    if (plan.stopsAtStep === step) {
      this.event('stop-request', { memberId: plan.requester?.id ?? null })
      return this.end('stopped')
    }
    const input = 2_400 + this.thread.tokens + random.int(0, 900)
    const output = Math.round(random.skewed(210, 0.5))
    this.steps++
    this.inputTokens += input
    this.outputTokens += output
    this.thread.tokens += output + random.int(150, 800)
    this.event('model-end', {
      model: models[tier],
      step: this.steps,
      inputTokens: input,
      outputTokens: output,
      costMicros: costOf(tier, input, output),
    })
    return null
  }

  /** The calls of one step. False when one of them waits for a person. */
  act(calls: Call[], say: string | undefined): boolean {
    const requested = calls.map((call) => ({ call, useId: `toolu_${this.random.hex(20)}` }))
    this.message('assistant', [
      ...(say ? [{ type: 'text', text: say }] : []),
      ...requested.map(({ call, useId }) => ({
        type: 'tool_use',
        id: useId,
        name: call.tool.replace(/[^\w-]/g, '_'),
        input: call.args,
      })),
    ])
    const began = this.clock
    let latest = began
    const results: unknown[] = []
    for (const { call, useId } of requested) {
      this.clock = began + this.random.int(2, 12)
      const result = this.settle(call, useId)
      if (result === null) return false
      latest = Math.max(latest, this.clock)
      results.push({
        type: 'tool_result',
        tool_use_id: useId,
        content: result.text,
        ...(result.ok ? {} : { is_error: true }),
      })
    }
    this.clock = latest + this.random.int(3, 15)
    this.message('tool', results)
    return true
  }

  settle(call: Call, useId: string): { ok: boolean; text: string } | null {
    const { random } = this
    const tool = tools.find((candidate) => candidate.name === call.tool)
    if (!tool) throw new Error(`The demo has no tool ${call.tool}`)
    const decided = decide(this.agent, tool, call)
    const toolCallId = random.id('call', new Date(this.clock))
    const row = {
      id: toolCallId,
      workspace_id: this.workspaceId,
      run_id: this.runId,
      conversation_id: this.thread.id,
      agent_id: this.agentId,
      step: this.steps,
      tool_use_id: useId,
      tool_name: call.tool,
      tool_version: toolVersion(call.tool),
      effect: tool.effect,
      idempotent: tool.idempotent ?? false,
      arguments: call.args,
      arguments_digest: sha256(`${toolVersion(call.tool)}${JSON.stringify(call.args)}`),
      status: 'succeeded',
      decision: decided.decision,
      trail: decided.trail,
      claimed_by: null,
      output: null as string | null,
      error: null as string | null,
      output_bytes: null as number | null,
      findings: [],
      duration_ms: null as number | null,
      requested_at: iso(this.clock),
      started_at: null as string | null,
      finished_at: null as string | null,
    }
    this.rows.add('tool_calls', row)
    this.event('tool-call-request', { toolCallId, toolName: call.tool })
    const close = (status: string, error: string | null) => {
      Object.assign(row, { status, error, finished_at: iso(this.clock) })
      this.event('tool-call-end', {
        toolCallId,
        toolName: call.tool,
        status,
        ...(row.duration_ms === null ? {} : { durationMs: row.duration_ms }),
      })
    }

    if (decided.decision === 'deny') {
      this.event('decision', { toolCallId, decision: 'deny' })
      Object.assign(row, { status: 'refused', error: decided.trail.at(-1)?.reason, finished_at: iso(this.clock) })
      return { ok: false, text: `Refused: ${decided.trail.at(-1)?.reason}` }
    }
    if (decided.decision === 'allow') this.event('decision', { toolCallId, decision: 'allow' })
    if (decided.decision === 'ask' || call.tool === 'ask_user') {
      const answer = this.ask(call, toolCallId, row.arguments_digest, decided)
      if (answer === 'open') {
        row.status = 'asking'
        return null
      }
      if (answer !== 'approved') {
        Object.assign(row, { status: 'denied', error: answer, finished_at: iso(this.clock) })
        return { ok: false, text: answer }
      }
    }

    this.clock += random.int(2, 9)
    row.started_at = iso(this.clock)
    this.event('tool-call-start', { toolCallId, toolName: call.tool })
    const ms = Math.max(1, Math.round(random.skewed(tool.ms, 0.5)))
    this.clock += ms
    if (untrusted.test(call.tool)) this.taintedAt ??= this.clock
    if (!tool.idempotent && random.chance(0.004)) {
      close('interrupted', 'The process that ran this was lost. Nobody knows whether it finished.')
      return { ok: false, text: 'Interrupted: nobody knows whether it finished.' }
    }
    row.duration_ms = ms
    if (tool.effect === 'read' && random.chance(0.035)) {
      const error = random.pick([
        'Timed out after 10 s.',
        'The server answered 503 Service Unavailable.',
        'Connection reset by the other side.',
      ])
      close('failed', error)
      return { ok: false, text: error }
    }
    row.output = call.output
    row.output_bytes = Buffer.byteLength(call.output)
    close('succeeded', null)
    return { ok: true, text: call.output }
  }

  /** A question about a call, and what people said to it. */
  ask(call: Call, toolCallId: string, digest: string, decided: Decided): 'approved' | 'open' | string {
    const { random, plan } = this
    const isChoice = call.tool === 'ask_user'
    const approvers = isChoice && plan.requester ? { memberIds: [plan.requester.id] } : decided.approvers
    const entitled = this.directory.members.filter((member) =>
      mayAnswer(approvers, member, plan.requester ? [plan.requester.id] : []),
    )
    const expired = !isChoice && random.chance(0.06)
    const decider = expired || !entitled.length ? null : random.pick(entitled)
    const denied = !isChoice && random.chance(0.09)
    const askedAt = this.clock
    const questionId = random.id('q', new Date(askedAt))
    const question = {
      id: questionId,
      workspace_id: this.workspaceId,
      run_id: this.runId,
      tool_call_id: toolCallId,
      kind: isChoice ? 'choice' : 'confirmation',
      prompt: {
        ...describeCall(call),
        toolName: call.tool,
        arguments: call.args,
        ...(isChoice ? { options: call.args.options } : {}),
      },
      reasons: decided.trail,
      arguments_digest: digest,
      approvers,
      required_answers: 1,
      status: 'open',
      verdict: null as string | null,
      on_expiry: 'deny',
      asked_at: iso(askedAt),
      expires_at: iso(askedAt + 24 * 3_600_000),
      closed_at: null as string | null,
    }
    this.rows.add('questions', question)
    this.event('question-ask', { questionId, toolCallId, kind: question.kind })
    this.deliver('question', { questionId, title: question.prompt.title }, questionId)
    this.clock += random.int(5, 40)
    this.event('run-park', {})
    if (plan.waits) return 'open'

    this.clock =
      askedAt + (decider ? Math.max(4_000, random.skewed(150_000, 1.3)) : 24 * 3_600_000 + random.int(1_000, 50_000))
    const verdict = decider && !denied ? 'approve' : 'deny'
    Object.assign(question, { status: decider ? 'answered' : 'expired', verdict, closed_at: iso(this.clock) })
    const audit = { runId: this.runId, toolCallId }
    if (decider) {
      const surface = random.chance(0.22) ? 'console' : this.thread.channel
      const reason =
        verdict === 'deny'
          ? random.pick([
              'Not during business hours, please.',
              'Let us look at the cause first.',
              'The wording is too harsh.',
              null,
            ])
          : null
      this.rows.add('answers', {
        question_id: questionId,
        member_id: decider.id,
        workspace_id: this.workspaceId,
        verdict,
        value: isChoice ? call.output : null,
        reason,
        surface,
        at: iso(this.clock),
      })
      this.event('question-answer', { questionId, memberId: decider.id, verdict, surface })
      this.audit({ kind: 'member', id: decider.id }, 'question.answer', questionId, {
        verdict,
        surface,
        closed: true,
        ...audit,
        argumentsDigest: digest,
      })
      if (verdict === 'approve' && !isChoice && random.chance(0.1)) this.lease(call, questionId, decider)
    } else this.audit({ kind: 'system', id: 'questions' }, 'question.expire', questionId, audit)
    this.event('question-close', { questionId, status: question.status, verdict })
    this.event('run-queue', { reason: 'answer' })
    const closedAt = this.clock
    this.clock += random.int(60, 400)
    this.start()
    if (verdict === 'approve') return 'approved'
    const title = question.prompt.title
    this.denial = decider
      ? `${decider.name} said no to “${title}”, so I have left everything as it is.`
      : `Nobody answered “${title}” within a day, so I have not done it. Ask me again when it fits.`
    this.clock = closedAt + random.int(60, 400)
    return decider ? `${decider.name} denied this.` : 'Nobody answered in time.'
  }

  /** "Approve for this thread". */
  lease(call: Call, questionId: string, granter: DemoMember): void {
    this.rows.add('leases', {
      id: this.random.id('lease', new Date(this.clock)),
      workspace_id: this.workspaceId,
      conversation_id: this.thread.id,
      agent_id: this.agentId,
      tool_name: call.tool,
      tool_version: toolVersion(call.tool),
      question_id: questionId,
      granted_by: granter.id,
      uses: this.random.int(0, 3),
      max_uses: 5,
      created_at: iso(this.clock),
      expires_at: iso(this.clock + 8 * 3_600_000),
      revoked_at: null,
    })
  }

  end(outcome: 'succeeded' | 'failed' | 'stopped' | 'waiting'): ToldRun {
    const { plan, agent, thread } = this
    const version = this.directory.agents[thread.agent].versions
      .filter((candidate) => candidate.publishedAt <= plan.at)
      .at(-1)
    const finished = outcome !== 'waiting'
    const failure = outcome === 'failed' ? plan.fails : undefined
    this.rows.add('runs', {
      id: this.runId,
      workspace_id: this.workspaceId,
      conversation_id: thread.id,
      agent_id: this.agentId,
      agent_version_id: version?.id ?? null,
      requested_by: plan.requester?.id ?? null,
      trigger: plan.trigger,
      title: plan.title,
      status: outcome,
      claim_number: this.claim,
      steps: this.steps,
      input_tokens: this.inputTokens,
      output_tokens: this.outputTokens,
      cost_micros: costOf(agent.model, this.inputTokens, this.outputTokens),
      tainted_at: this.taintedAt === null ? null : iso(this.taintedAt),
      stop_requested_at: outcome === 'stopped' ? iso(this.clock) : null,
      error_code: failure?.code ?? null,
      error_message: failure?.message ?? null,
      queued_at: iso(plan.at),
      started_at: this.startedAt === null ? null : iso(this.startedAt),
      finished_at: finished ? iso(this.clock) : null,
    })
    if (finished) this.event('run-end', { status: outcome, errorCode: failure?.code ?? null, steps: this.steps })
    return {
      rows: this.rows,
      endsAt: this.clock,
      outcome: outcome === 'succeeded' && this.denial ? 'denied' : outcome,
      nextMessage: thread.nextMessage,
      nextDelivery: thread.nextDelivery,
      tokens: thread.tokens,
    }
  }

  message(role: 'user' | 'assistant' | 'tool', content: unknown[], memberId: string | null = null): void {
    const number = this.thread.nextMessage++
    this.rows.add('messages', {
      conversation_id: this.thread.id,
      number,
      workspace_id: this.workspaceId,
      run_id: this.runId,
      role,
      content,
      member_id: memberId,
      external_id: role === 'user' && this.thread.channel === 'slack' ? `${(this.clock / 1000).toFixed(6)}` : null,
      created_at: iso(this.clock),
    })
    this.event('message', { number, role })
  }

  /** Everything the demo says was sent, or given up: a bot that runs beside it finds nothing to send. */
  deliver(kind: string, payload: unknown, questionId: string | null): void {
    const failed = this.random.chance(0.004)
    const number = this.thread.nextDelivery++
    const deliveryId = this.random.id('dlv', new Date(this.clock))
    const sentAt = this.clock + this.random.int(120, 900)
    this.rows.add('deliveries', {
      id: deliveryId,
      workspace_id: this.workspaceId,
      conversation_id: this.thread.id,
      number,
      channel_id: this.directory.channels[this.thread.channel],
      run_id: this.runId,
      question_id: questionId,
      kind,
      payload,
      status: failed ? 'failed' : 'sent',
      attempts: failed ? 12 : 1,
      next_attempt_at: iso(this.clock),
      external_id: failed ? null : `${(sentAt / 1000).toFixed(6)}`,
      error: failed ? 'channel_not_found' : null,
      created_at: iso(this.clock),
      sent_at: failed ? null : iso(sentAt),
    })
    this.event('delivery', { deliveryId, number, status: failed ? 'failed' : 'sent' }, sentAt)
  }

  event(kind: string, data: Record<string, unknown>, at = this.clock): void {
    this.rows.add('run_events', { workspace_id: this.workspaceId, run_id: this.runId, kind, data, at: iso(at) })
  }

  audit(actor: { kind: string; id: string }, action: string, questionId: string, data: Record<string, unknown>): void {
    this.rows.add('audit_events', {
      workspace_id: this.workspaceId,
      at: iso(this.clock),
      actor_kind: actor.kind,
      actor_id: actor.id,
      action,
      subject_kind: 'question',
      subject_id: questionId,
      data,
    })
  }
}

const iso = (at: number) => new Date(at).toISOString()

function costOf(tier: keyof typeof prices, input: number, output: number): number {
  return Math.round(input * prices[tier][0] + output * prices[tier][1])
}
