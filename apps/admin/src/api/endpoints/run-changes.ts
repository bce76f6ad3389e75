import { z } from 'zod'
import { data } from '../../data.ts'
import { runtime } from '../../runtime.ts'
import { ApiError } from '../api-error.ts'
import { endpoint } from '../endpoint.ts'
import type { Caller } from '../require-caller.ts'
import { idShape, notFound } from '../shapes.ts'

const access = { area: 'Runs', role: 'member', scope: 'runs', method: 'POST' } as const
const runParams = { runId: idShape.describe('The run’s id.') }

export const stopRun = endpoint({
  ...access,
  path: '/api/runs/{runId}/stop',
  summary: 'Stop a run',
  description: 'Its open questions are withdrawn, and the runs that work for it are stopped as well.',
  params: z.strictObject(runParams),
  answer: {
    status: 202,
    description: '`stopped`: it has ended. `stopping`: whoever works on it was told.',
    schema: z.strictObject({ outcome: z.enum(['stopped', 'stopping']) }),
  },
  errors: { CONFLICT: 'It had ended already.' },
  work: async ({ caller: { workspaceId, actor }, params: { runId } }) => {
    const outcome = await data.requestStop(runtime().db, { workspaceId, runId, actor })
    if (outcome === null) throw notFound('run')
    if (outcome === 'finished') throw new ApiError('CONFLICT', 'This run has ended already.')
    return { outcome }
  },
})

const forkedShape = z
  .strictObject({
    session_id: z.string().describe('The session of the playground that it became, the caller’s own.'),
    run_id: z
      .string()
      .nullable()
      .describe('The run that goes on there; null: nothing has been said yet to go on with.'),
  })
  .meta({ id: 'ForkedRun' })

async function fork(
  { workspaceId, memberId }: Caller,
  runId: string,
  more: Pick<Parameters<typeof data.forkRun>[1], 'cut' | 'content'>,
): Promise<z.input<typeof forkedShape>> {
  const forked = await data.forkRun(runtime().db, { workspaceId, memberId, runId, ...more })
  if (!forked) throw notFound('run')
  return { session_id: forked.conversationId, run_id: forked.runId }
}

export const repeatRun = endpoint({
  ...access,
  path: '/api/runs/{runId}/repeat',
  summary: 'Run it again',
  description:
    'From what it was asked, in a session of the playground of the caller’s own. The run itself stays as it is.',
  params: z.strictObject(runParams),
  answer: { status: 201, description: 'The new session and run.', schema: forkedShape },
  errors: { VALIDATION_ERROR: 'What it was asked is not there any more.' },
  work: async ({ caller, params: { runId } }) => fork(caller, runId, {}),
})

export const forkRun = endpoint({
  ...access,
  path: '/api/runs/{runId}/fork',
  summary: 'Go on from a step in another way',
  description:
    'In a session of the playground of the caller’s own, with what was said and found up to that step. No tool is run again.',
  params: z.strictObject(runParams),
  body: z.strictObject({
    step: z.int().min(1).max(100_000),
    side: z.enum(['before', 'after']).default('after').describe('Whether the step itself comes along.'),
    message: z.string().min(1).max(100_000).optional().describe('What the caller says after it.'),
  }),
  answer: { status: 201, description: 'The new session and run.', schema: forkedShape },
  errors: { VALIDATION_ERROR: 'The run has no such step, or it is not there any more.' },
  work: async ({ caller, params: { runId }, body: { step, side, message } }) =>
    fork(caller, runId, {
      cut: { step, side },
      ...(message === undefined ? {} : { content: [{ type: 'text', text: message }] }),
    }),
})
