// Whether a run may take another step, looked at before each model call: steps, and money by run, agent's day and
// person's day. At 80 % of a sum people are told, once; at 100 % they are asked, and their answers stand in the rows.
import {
  askQuestion,
  type Budgets,
  budgetAnswers,
  type Database,
  enqueueDelivery,
  finishRun,
  inTransaction,
  noticeBudget,
  readSpending,
  type Spending,
} from '@quartermaster/db'
import { kept, LetGo, type RunInHand, type RunServices } from './run-services.ts'

export interface BudgetCheck {
  /** `wait`: people are asked. `end`: the run has ended, and said why. */
  verdict: 'go' | 'wait' | 'end'
  /** No more tools: say what there is to say. */
  finishUp: boolean
}

/** What one "+$2" adds to every budget, for this run. */
const extraMicros = 2_000_000
const noticeShare = 0.8

export async function checkBudget(services: RunServices, held: RunInHand): Promise<BudgetCheck> {
  const { run, context } = held
  const budgets = context.version?.budgets ?? {}
  const most = Math.min(budgets.maxSteps ?? services.maxSteps, services.maxSteps)
  if (run.steps >= most)
    return end(services, held, 'max_steps', `I stopped after ${most} steps, the most one run may take.`)
  const lastStep = most > 1 && run.steps === most - 1
  if (!budgets.perRunUsd && !budgets.perDayUsd && !budgets.perPersonDayUsd) return { verdict: 'go', finishUp: lastStep }

  const spending = await readSpending(services.db, run)
  const last = spending.questions.at(-1)
  if (last?.status === 'open') return { verdict: 'wait', finishUp: false }
  const stopped = last && (last.verdict !== 'approve' || last.value === budgetAnswers[2])
  if (stopped) return end(services, held, 'budget_exceeded', 'I stopped: the budget is used up.')
  const extra = spending.questions.filter(({ value }) => value === budgetAnswers[0]).length * extraMicros
  const fullest = findFullest(budgets, run.costMicros, spending, extra)
  if (last?.value === budgetAnswers[1]) return { verdict: 'go', finishUp: true }
  if (fullest.share >= 1) {
    await ask(services, held, fullest)
    return { verdict: 'wait', finishUp: false }
  }
  if (fullest.share >= noticeShare && !run.budgetNoticed) {
    run.budgetNoticed = true
    const text = `${Math.floor(fullest.share * 100)} % of ${describe(fullest)} is used.`
    await noticeBudget(services.db, run, { conversationId: context.place.conversationId, text })
  }
  return { verdict: 'go', finishUp: lastStep }
}

interface Fullest {
  share: number
  whose: string
  usedMicros: number
  limitMicros: number
}

export function findFullest(budgets: Budgets, runMicros: number, spending: Spending, extra: number): Fullest {
  const all: [number | undefined, string, number][] = [
    [budgets.perRunUsd, 'this run', runMicros],
    [budgets.perDayUsd, "the agent's day", spending.agentDayMicros],
    [budgets.perPersonDayUsd, "the requester's day", spending.personDayMicros],
  ]
  return all
    .flatMap(([usd, whose, usedMicros]) => {
      if (usd === undefined) return []
      const limitMicros = usd * 1_000_000 + extra
      return [{ share: usedMicros / limitMicros, whose, usedMicros, limitMicros }]
    })
    .reduce((a, b) => (b.share > a.share ? b : a), { share: 0, whose: '', usedMicros: 0, limitMicros: 0 })
}

const usd = (micros: number) => `$${(micros / 1_000_000).toFixed(2)}`
const describe = ({ whose, limitMicros }: Fullest) => `the budget of ${whose} (${usd(limitMicros)})`

/** Asked of the approvers: whoever spends it does not raise it. Question and card in one transaction. */
async function ask(services: RunServices, { run, context }: RunInHand, fullest: Fullest): Promise<void> {
  const { conversationId } = context.place
  await inTransaction(services.db, async (tx) => {
    // The conversation's row comes before the run's (see runs.ts on locks).
    await tx.query('SELECT 1 FROM conversations WHERE id = $1 FOR NO KEY UPDATE', [conversationId])
    const db = { ...services.db, pool: tx } as unknown as Database
    const questionId = await askQuestion(db, run, {
      kind: 'budget',
      prompt: {
        title: `${describe(fullest)} is used up`.replace(/^t/, 'T'),
        body: `${usd(fullest.usedMicros)} were spent. How shall I go on?`,
        options: [...budgetAnswers],
      },
    })
    if (!questionId) throw new LetGo('the claim is lost')
    const payload = { kind: 'question', questionId }
    await enqueueDelivery(db, { conversationId, kind: 'question', payload, questionId })
  })
  services.atPoint('question-asked')
}

async function end(services: RunServices, { run }: RunInHand, code: string, message: string): Promise<BudgetCheck> {
  const written = await finishRun(services.db, run, {
    status: 'failed',
    error: { code, message },
    ...(run.parentRunId ? {} : { notice: message }),
  })
  kept(written, run)
  return { verdict: 'end', finishUp: false }
}
