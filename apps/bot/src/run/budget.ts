// Whether a run may take another step, looked at before each model call: steps, and money and tokens by run, agent's day
// and person's day. At 80 % of one people are told, once; at 100 % they are asked, and their answers stand in the rows.
import {
  askQuestion,
  type Budgets,
  budgetAnswers,
  type Database,
  enqueueDelivery,
  finishRun,
  inTransaction,
  moreTokens,
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

/** What one "+$2" adds to every budget of money, and one "+1M tokens" to every one of tokens, for this run. */
const more = {
  usd: { answer: budgetAnswers[0], amount: 2_000_000 },
  tokens: { answer: moreTokens, amount: 1_000_000 },
} as const
type Unit = keyof typeof more
const noticeShare = 0.8

export async function checkBudget(services: RunServices, held: RunInHand): Promise<BudgetCheck> {
  const { run, context } = held
  const budgets = context.version?.budgets ?? {}
  const most = Math.min(budgets.maxSteps ?? services.maxSteps, services.maxSteps)
  if (run.steps >= most)
    return end(services, held, 'max_steps', `I stopped after ${most} steps, the most one run may take.`)
  const lastStep = most > 1 && run.steps === most - 1
  const { maxSteps: _, ...sums } = budgets
  if (!Object.keys(sums).length) return { verdict: 'go', finishUp: lastStep }

  const spending = await readSpending(services.db, run)
  const last = spending.questions.at(-1)
  if (last?.status === 'open') return { verdict: 'wait', finishUp: false }
  const stopped = last && (last.verdict !== 'approve' || last.value === budgetAnswers[2])
  if (stopped) return end(services, held, 'budget_exceeded', 'I stopped: the budget is used up.')
  const extraOf = (unit: Unit) =>
    spending.questions.filter(({ value }) => value === more[unit].answer).length * more[unit].amount
  const fullest = findFullest(budgets, run.costMicros, spending, { usd: extraOf('usd'), tokens: extraOf('tokens') })
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
  unit: Unit
  /** Of money millionths of a dollar. */
  used: number
  limit: number
}

export function findFullest(
  budgets: Budgets,
  runMicros: number,
  spending: Spending,
  extra: Record<Unit, number>,
): Fullest {
  const all: [limit: number | undefined, whose: string, unit: Unit, used: number][] = [
    [budgets.perRunUsd, 'this run', 'usd', runMicros],
    [budgets.perDayUsd, "the agent's day", 'usd', spending.agentDayMicros],
    [budgets.perPersonDayUsd, "the requester's day", 'usd', spending.personDayMicros],
    [budgets.perRunTokens, 'this run', 'tokens', spending.runTokens],
    [budgets.perDayTokens, "the agent's day", 'tokens', spending.agentDayTokens],
    [budgets.perPersonDayTokens, "the requester's day", 'tokens', spending.personDayTokens],
  ]
  return all
    .flatMap(([given, whose, unit, used]): Fullest[] => {
      if (given === undefined) return []
      const limit = (unit === 'usd' ? given * 1_000_000 : given) + extra[unit]
      return [{ share: used / limit, whose, unit, used, limit }]
    })
    .reduce((a, b) => (b.share > a.share ? b : a), { share: 0, whose: '', unit: 'usd', used: 0, limit: 0 })
}

const say = (unit: Unit, amount: number) =>
  unit === 'usd' ? `$${(amount / 1_000_000).toFixed(2)}` : `${amount.toLocaleString('en-US')} tokens`
const describe = ({ whose, unit, limit }: Fullest) => `the budget of ${whose} (${say(unit, limit)})`

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
        body: `${say(fullest.unit, fullest.used)} were ${fullest.unit === 'usd' ? 'spent' : 'used'}. How shall I go on?`,
        options: [more[fullest.unit].answer, ...budgetAnswers.slice(1)],
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
