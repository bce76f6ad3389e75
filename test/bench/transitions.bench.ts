// What the transitions of a run cost: one after the other, and with 32 runs at a time.
import {
  answerQuestion,
  appendMessage,
  askQuestion,
  type ClaimedRun,
  claimDelivery,
  claimRun,
  confirmDelivery,
  enqueueDelivery,
  finishRun,
  finishToolCall,
  newId,
  openDatabase,
  parkRun,
  receiveEvent,
  recordStep,
  renewClaim,
  requestToolCall,
  startToolCall,
} from '@quartermaster/db'
import { createTestWorkspace } from '../../packages/db/src/testing-workspace.ts'
import { type Bench, countPerSecond, type Measurement, percentile, timeEach } from './measure.ts'

const times = 500
const atOnce = 32

const bench: Bench = {
  about: `${times} runs one after the other (p50, p95), then ${times * 4} with ${atOnce} at a time`,
  async run(url) {
    const db = openDatabase(url, { name: 'qm-bench', maxConnections: atOnce })
    const workspace = await createTestWorkspace(db)
    const use = { inputTokens: 1_000, outputTokens: 100, costMicros: 4_500 }
    const digest = { argumentsDigest: 'd' }

    interface Step {
      runId: string
      conversationId: string
      run: ClaimedRun
      toolCallId: string
      questionId: string
    }
    const steps: Record<string, (state: Step) => Promise<unknown>> = {
      async receiveEvent(state) {
        const received = await receiveEvent(db, {
          channelId: workspace.channelId,
          eventId: newId('event'),
          place: 'here',
          conversationKey: newId('thread'),
          memberId: workspace.members.member,
          content: [{ type: 'text', text: 'please do the thing' }],
        })
        if (received.outcome === 'received') Object.assign(state, received)
      },
      async claimRun(state) {
        state.run = must(await claimRun(db, { runId: state.runId, processId: 'bench' }))
      },
      renewClaim: async ({ run }) => must(await renewClaim(db, run)),
      recordStep: async ({ run }) => must(await recordStep(db, run, { content: [], use })),
      async requestToolCall(state) {
        const call = { step: 1, toolName: 'file.write', toolVersion: 'v1', effect: 'write', idempotent: false } as const
        const more = { toolUseId: newId('use'), arguments: { path: 'a' }, ...digest }
        state.toolCallId = must(await requestToolCall(db, state.run, { ...call, ...more })).id
      },
      async askQuestion(state) {
        const question = { toolCallId: state.toolCallId, kind: 'confirmation', prompt: {} } as const
        state.questionId = must(await askQuestion(db, state.run, question))
      },
      parkRun: async ({ run }) => must((await parkRun(db, run)) === 'parked'),
      answerQuestion: async ({ questionId }) => {
        const answer = { questionId, verdict: 'approve', surface: 'web' } as const
        must((await answerQuestion(db, { ...answer, memberId: workspace.members.owner })).ok)
      },
      async 'claimRun again'(state) {
        state.run = must(await claimRun(db, { runId: state.runId, processId: 'bench' }))
      },
      startToolCall: async ({ run, toolCallId }) => must(await startToolCall(db, run, { toolCallId, ...digest })),
      finishToolCall: async ({ run, toolCallId }) =>
        must(await finishToolCall(db, run, { toolCallId, status: 'succeeded', output: 'done' })),
      appendMessage: async ({ run }) => must(await appendMessage(db, run, { role: 'tool', content: [] })),
      enqueueDelivery: async ({ run, conversationId }) =>
        must(await enqueueDelivery(db, { conversationId, kind: 'text', payload: {}, claim: run })),
      'claimDelivery, confirmDelivery': async ({ conversationId }) => {
        const delivery = must(await claimDelivery(db, { processId: 'bench', conversationId }))
        must(await confirmDelivery(db, delivery, null))
      },
      finishRun: async ({ run }) => must(await finishRun(db, run, { status: 'succeeded', seenMessage: 1 })),
    }

    try {
      const one = Array.from({ length: times }, () => ({}) as Step)
      const many = Array.from({ length: times * 4 }, () => ({}) as Step)
      const measurements: Measurement[] = []
      for (const [what, step] of Object.entries(steps)) {
        const each = await timeEach(one.length, (index) => step(one[index] as Step))
        const perSecond = await countPerSecond(many.length, atOnce, (index) => step(many[index] as Step))
        const figures = {
          'p50 (ms)': percentile(each, 0.5),
          'p95 (ms)': percentile(each, 0.95),
          'per second': perSecond,
        }
        measurements.push({ what, figures })
      }
      return measurements
    } finally {
      await db.close()
    }
  },
}
export default bench

/** A bench that measures refusals would look very fast. */
function must<T>(value: T | null | false): T {
  if (value === null || value === false) throw new Error('a transition was refused')
  return value
}
