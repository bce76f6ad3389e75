import { finishRun } from '@quartermaster/db'
import { kept, type RunInHand, type RunServices } from './run-services.ts'

export interface BudgetCheck {
  /** `wait`: people are asked. `end`: the run has ended, and said why. */
  verdict: 'go' | 'wait' | 'end'
  finishUp: boolean
}

/** Whether the run may take another step, looked at before each model call. */
export async function checkBudget(services: RunServices, { run, context }: RunInHand): Promise<BudgetCheck> {
  const most = Math.min(context.version?.budgets.maxSteps ?? services.maxSteps, services.maxSteps)
  if (run.steps < most) return { verdict: 'go', finishUp: run.steps === most - 1 && most > 1 }
  const message = `I stopped after ${most} steps, the most that one run may take. Say "go on" to let me continue.`
  const end = await finishRun(services.db, run, {
    status: 'failed',
    error: { code: 'max_steps', message },
    ...(run.parentRunId ? {} : { notice: message }),
  })
  kept(end, run)
  return { verdict: 'end', finishUp: false }
}
