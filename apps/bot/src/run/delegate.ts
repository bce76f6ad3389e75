// A call that gives work to others: a run for each of its tasks, and the call goes on with what they said when all of
// them have ended. The run parks meanwhile, as it does for people; children that were started are found again.
import {
  type ChildRun,
  delegateToolCall,
  finishToolCall,
  readChildRuns,
  resumeDelegatedCall,
  type StepCall,
} from '@quartermaster/db'
import type { CallRequest, Delegated, DelegatedEnd } from '@quartermaster/tools'
import { toBlocks } from './build-messages.ts'
import { kept, LetGo, type RunInHand, type RunServices } from './run-services.ts'
import { resultOfCall, type ToolResultBlock } from './tool-result.ts'

/** Null: it waits now. */
export async function delegate(
  { db }: RunServices,
  { run }: RunInHand,
  toolCallId: string,
  { tool, tasks }: Delegated,
  toolUseId: string,
): Promise<ToolResultBlock | null> {
  const children = tasks.map(({ title, task, agentId }) => ({
    content: [{ type: 'text', text: task }],
    title,
    ...(agentId === undefined ? {} : { agentId }),
  }))
  const outcome = await delegateToolCall(db, run, { toolCallId, children })
  if (outcome === null) throw new LetGo('a call that has work for others does not run here any more')
  if (outcome === 'delegated') return null
  const error = `Tool '${tool}' could not start the runs it needs: there are too many, or one names an agent that is not here.`
  kept(await finishToolCall(db, run, { toolCallId, status: 'failed', error }), run)
  return resultOfCall({ toolUseId, status: 'failed', output: null, error, editedBy: null, arguments: null })
}

/** What the calls among these started, by the call's id, in the order of their tasks. */
export async function readDelegated(
  { db }: RunServices,
  { run }: RunInHand,
  rows: Iterable<StepCall>,
): Promise<ReadonlyMap<string, ChildRun[]>> {
  const ids = [...rows].filter(({ status }) => status === 'asking' || status === 'approved').map(({ id }) => id)
  if (!ids.length) return new Map()
  const started = await readChildRuns(db, run.runId)
  const taskOf = ({ key }: ChildRun) => Number(key.slice(key.lastIndexOf(':') + 1))
  return new Map(
    ids.flatMap((id) => {
      const its = started.filter(({ key }) => key.startsWith(`${id}:`)).sort((a, b) => taskOf(a) - taskOf(b))
      return its.length ? [[id, its]] : []
    }),
  )
}

/** What the call goes on with; null while one of its children has not ended. */
export async function gather(
  { db }: RunServices,
  { run }: RunInHand,
  row: StepCall,
  children: readonly ChildRun[],
): Promise<Pick<CallRequest, 'answer' | 'taint'> | null> {
  if (row.openQuestionId || !children.every(({ status }) => isOver(status))) return null
  if (row.status === 'asking' && !(await resumeDelegatedCall(db, run, row.id))) return null
  const value = children.map(
    ({ runId, title, status, errorMessage, lastWords }): DelegatedEnd => ({
      ...{ runId, title, status: status as DelegatedEnd['status'], error: errorMessage },
      output: toBlocks(lastWords)
        .flatMap(({ type, text }) => (type === 'text' ? [String(text)] : []))
        .join('\n\n'),
    }),
  )
  const taint = children.flatMap((child) => child.taint)
  // Where the call asked people after that, their answer is what it goes on with.
  if (row.status === 'approved' && row.answer?.byTool) return { taint }
  return { answer: { verdict: 'approve', value, memberId: null }, taint }
}

const isOver = (status: string): boolean => ['succeeded', 'failed', 'stopped'].includes(status)
