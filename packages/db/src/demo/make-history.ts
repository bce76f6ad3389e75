// Thirty days of Northwind: threads that begin when people work, chats that go on for weeks, reports that a schedule
// asks for every morning, an afternoon on which the model's provider was overloaded, and a few questions still open.
import { groundwork } from './groundwork.ts'
import { makeRun, type RunPlan, type Thread } from './make-run.ts'
import type { DemoMember, Directory } from './make-workspace.ts'
import { type PlaceKey, places } from './northwind.ts'
import type { Random } from './random.ts'
import { Rows } from './rows.ts'
import { stories } from './stories.ts'
import { call, type Story, type Turn } from './story.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const days = 30
const threads = 375
const chats = 28
const openQuestions = 5

export function makeHistory(random: Random, directory: Directory, now: number): Rows {
  return new History(random, directory, now).make()
}

class History {
  readonly rows = new Rows()
  readonly random: Random
  readonly directory: Directory
  readonly now: number
  /** Begin and end of the afternoon on which the provider was overloaded. */
  readonly outage: [number, number]
  readonly hours: { at: number; weight: number }[]

  constructor(random: Random, directory: Directory, now: number) {
    this.random = random
    this.directory = directory
    this.now = now
    const today = Math.floor(now / day) * day
    const afternoon = lastWorkday(today - 11 * day) + 13 * hour
    this.outage = [afternoon, afternoon + 2.5 * hour]
    this.hours = Array.from({ length: days * 24 }, (_, index) => {
      const at = Math.floor(now / hour) * hour - (days * 24 - index) * hour
      return { at, weight: rhythm(at) * (1 + (0.5 * index) / (days * 24)) }
    })
  }

  make(): Rows {
    for (let index = 0; index < threads; index++) {
      const story = this.pickStory()
      this.tellThread(story, this.pickMoment(), story.turns)
    }
    for (let index = 0; index < chats; index++) this.tellChat()
    this.tellMornings('harbor', 'oncall', 'Backups and certificates', backupTurn)
    this.tellMornings('ledger', 'numbers', 'Yesterday in numbers', numbersTurn)
    this.askOpenQuestions()
    return this.rows
  }

  /** A Slack thread or the like: one story, as far as people carried it on. */
  tellThread(story: Story, at: number, turns: Turn[]): void {
    const thread = this.open(story.place, story.title, at)
    const requester = this.pickMember()
    const length = this.random.chance(0.72) ? turns.length : this.random.int(1, turns.length)
    let clock = at
    for (const [index, turn] of turns.slice(0, length).entries()) {
      const told = this.run(thread, {
        turn,
        title: index === 0 ? story.title : turn.ask,
        at: clock,
        requester,
        trigger: 'message',
      })
      if (!told) break
      if (told.outcome === 'stopped' || told.outcome === 'denied') break
      clock = told.endsAt + Math.max(15_000, this.random.skewed(5 * minute, 1.2))
      if (told.outcome === 'failed') {
        const again = { ...turn, ask: this.random.pick(['Try again, please.', 'once more?', 'And now?']) }
        const retried = this.run(thread, { turn: again, title: again.ask, at: clock, requester, trigger: 'message' })
        if (retried?.outcome !== 'succeeded') break
        clock = retried.endsAt + this.random.skewed(6 * minute, 1)
      }
    }
    this.close(thread)
  }

  /** A long chat (a Telegram chat, a playground session): one person, many stories, over days. */
  tellChat(): void {
    const place: PlaceKey = this.random.chance(0.6) ? 'phone' : 'playground'
    let clock = this.pickMoment()
    const first = this.pickStory(place)
    const thread = this.open(place, first.title, clock)
    const requester = this.pickMember()
    for (let stories = this.random.int(5, 9); stories > 0; stories--) {
      const story = this.pickStory(place)
      for (const turn of story.turns) {
        const told = this.run(thread, { turn, title: turn.ask, at: clock, requester, trigger: 'message' })
        if (!told) {
          this.close(thread)
          return
        }
        clock = told.endsAt + Math.max(20_000, this.random.skewed(3 * minute, 1))
        if (told.outcome !== 'succeeded') break
      }
      clock = this.nextWorkingMoment(clock + this.random.skewed(20 * hour, 0.7))
    }
    this.close(thread)
  }

  tellMornings(agent: 'harbor' | 'ledger', place: PlaceKey, title: string, turnOf: (random: Random) => Turn): void {
    const first = Math.floor((this.now - days * day) / day) * day + (agent === 'harbor' ? 5 : 6) * hour
    const thread = this.open(place, title, first)
    for (let at = first; at < this.now; at += day) {
      const weekday = new Date(at).getUTCDay()
      if (agent === 'ledger' && (weekday === 0 || weekday === 6)) continue
      this.run(thread, {
        turn: turnOf(this.random),
        title,
        at: at + this.random.int(200, 4_000),
        requester: null,
        trigger: 'schedule',
      })
    }
    this.close(thread)
  }

  /** What waits for somebody right now. */
  askOpenQuestions(): void {
    const asking = ['restarts again', 'parcel NW', 'Fix #', 'Meeting about', 'queue is growing']
    for (let index = 0; index < openQuestions; index++) {
      let story = this.pickStory()
      while (!story.title.includes(asking[index] as string)) story = this.pickStory()
      const requester = this.pickMember()
      const at = this.now - (index * index * 47 + 9) * minute - this.random.int(0, 5 * minute)
      const thread = this.open(story.place, story.title, at - 4 * minute)
      const turn = story.turns.find((candidate) => candidate.steps.flat().some((step) => askers.has(step.tool))) as Turn
      const first = story.turns[0] as Turn
      if (turn !== first)
        this.run(thread, {
          turn: first,
          title: story.title,
          at: at - 4 * minute,
          requester,
          trigger: 'message',
          smooth: true,
        })
      this.run(thread, { turn, title: story.title, at, requester, trigger: 'message', waits: true, smooth: true })
      this.close(thread)
    }
  }

  /** Null when it would not have ended by now: then it has not happened. */
  run(thread: OpenThread, plan: RunPlan & { smooth?: boolean }) {
    const steps = this.random.chance(0.66)
      ? [groundwork(this.random, thread.agent), ...plan.turn.steps]
      : plan.turn.steps
    const full = { ...plan, turn: { ...plan.turn, steps } }
    const told = makeRun(this.random, this.directory, thread, plan.smooth ? full : { ...full, ...this.mishap(full) })
    if (told.endsAt > this.now - 1_000) return null
    thread.nextMessage = told.nextMessage
    thread.nextDelivery = told.nextDelivery
    thread.tokens = Math.min(told.tokens, 60_000)
    thread.lastActivityAt = told.endsAt
    thread.rows.addAll(told.rows)
    return told
  }

  mishap(plan: RunPlan): Partial<RunPlan> {
    const { random } = this
    const atStep = random.int(0, plan.turn.steps.length)
    const overloaded = plan.at > this.outage[0] && plan.at < this.outage[1]
    if (overloaded ? random.chance(0.6) : random.chance(0.012))
      return {
        fails: {
          code: 'model-overloaded',
          message: 'The model’s provider was overloaded (529) and stayed so for two minutes.',
          atStep,
        },
      }
    if (random.chance(0.012))
      return {
        fails: {
          code: 'budget-exceeded',
          message: 'The run would have cost more than its budget of $2.00.',
          atStep: plan.turn.steps.length,
        },
      }
    if (random.chance(0.008))
      return {
        fails: {
          code: 'step-limit',
          message: 'The run reached its limit of 40 steps.',
          atStep: plan.turn.steps.length,
        },
      }
    if (random.chance(0.006))
      return {
        fails: {
          code: 'context-exceeded',
          message: 'The conversation no longer fits into the model’s context.',
          atStep,
        },
      }
    if (plan.requester && random.chance(0.018)) return { stopsAtStep: atStep }
    return {}
  }

  open(place: PlaceKey, title: string, at: number): OpenThread {
    const { channel, id, agent } = places[place]
    const key =
      channel === 'slack'
        ? `${id}:${(at / 1000).toFixed(0)}.${this.random.int(100_000, 999_999)}`
        : `${id}:${this.random.int(100_000, 99_999_999)}`
    return {
      id: this.random.id('cnv', new Date(at)),
      agent,
      channel,
      nextMessage: 1,
      nextDelivery: 1,
      tokens: 0,
      key,
      title,
      openedAt: at,
      lastActivityAt: at,
      rows: new Rows(),
    }
  }

  /** A thread in which nothing has happened yet is not there. */
  close(thread: OpenThread): void {
    if (!thread.rows.of('runs').length) return
    this.rows.add('conversations', {
      id: thread.id,
      workspace_id: this.directory.workspaceId,
      channel_id: this.directory.channels[thread.channel],
      agent_id: this.directory.agents[thread.agent].id,
      external_key: thread.key,
      title: thread.title,
      // In the playground a session is its opener's own; nobody opened the demo's.
      opened_by: thread.channel === 'web' ? null : (thread.rows.of('messages')[0]?.member_id ?? null),
      next_message: thread.nextMessage,
      next_delivery: thread.nextDelivery,
      created_at: new Date(thread.openedAt).toISOString(),
      last_activity_at: new Date(thread.lastActivityAt).toISOString(),
    })
    this.rows.addAll(thread.rows)
  }

  pickStory(place?: PlaceKey): Story {
    for (;;) {
      const story = this.random.weighted(stories).tell(this.random)
      // In a place another agent answers, another agent's stories do not happen.
      if (place ? story.agent === places[place].agent : story.agent === places[story.place].agent) return story
    }
  }

  pickMember(): DemoMember {
    return this.random.weighted(this.directory.members.filter((member) => !member.disabled))
  }

  pickMoment(): number {
    return this.random.weighted(this.hours).at + this.random.int(0, hour - 1)
  }

  nextWorkingMoment(at: number): number {
    let moment = at
    while (rhythm(moment) < 0.5) moment += hour
    return moment + this.random.int(0, 40 * minute)
  }
}

interface OpenThread extends Thread {
  key: string
  title: string
  openedAt: number
  lastActivityAt: number
  rows: Rows
}

const askers = new Set(['rollout.restart', 'mcp:helpdesk:reply', 'git.commit', 'google.calendar', 'http.request'])

/** How busy an hour is: the working day in Central Europe with a dip at noon, little at night and on weekends. */
function rhythm(at: number): number {
  const local = new Date(at + hour)
  const byHour = [2, 1, 1, 1, 2, 3, 8, 30, 75, 95, 100, 85, 50, 80, 95, 90, 70, 45, 22, 14, 10, 8, 6, 3]
  const weekend = local.getUTCDay() === 0 || local.getUTCDay() === 6
  return ((byHour[local.getUTCHours()] as number) / 100) * (weekend ? 0.12 : 1)
}

function lastWorkday(at: number): number {
  const weekday = new Date(at).getUTCDay()
  return at - (weekday === 0 ? 2 : weekday === 6 ? 1 : 0) * day
}

const backupTurn = (random: Random): Turn => ({
  ask: 'Check the backups, the certificates and the deployments, and say good morning.',
  steps: [
    [
      call(
        'http.request',
        { method: 'GET', url: 'https://backups.northwind.example/last' },
        `{"finished":"03:${random.int(10, 59)}","bytes":${random.int(41, 48)}000000000}`,
      ),
      call(
        'mcp:metrics:query',
        { expression: 'certificate_days_left', range: 'now' },
        `lowest: ${random.int(19, 71)} days (status page)`,
      ),
      call('k8s.deployments', { namespace: 'production' }, '8 deployments, all ready'),
    ],
  ],
  answer:
    'Good morning. The backup finished in the night and has its usual size. No certificate ends within two weeks. All eight deployments are ready.',
})

const numbersTurn = (random: Random): Turn => ({
  ask: 'Sum up yesterday: parcels, late share, the three latest depots.',
  steps: [
    [
      call(
        'warehouse.query',
        { sql: 'SELECT count(*), avg(late::int) FROM deliveries WHERE day = yesterday()' },
        `${random.int(48, 71)},${random.int(100, 999)} | 0.0${random.int(21, 44)}`,
      ),
      call(
        'warehouse.query',
        { sql: 'SELECT depot, late_share FROM depot_days WHERE day = yesterday() ORDER BY 2 DESC LIMIT 3' },
        `Leeds 0.05${random.int(0, 9)} · Gent 0.04${random.int(0, 9)} · Porto 0.03${random.int(0, 9)}`,
      ),
    ],
    [
      call(
        'google.sheets',
        { action: 'append', spreadsheet: 'Daily numbers', range: 'A:C', values: [['yesterday']] },
        'Appended 1 row.',
      ),
    ],
  ],
  answer: `Yesterday: about ${random.int(48, 71)},000 parcels, ${random.int(2, 4)}.${random.int(0, 9)} % of them late. Leeds was the latest depot, as on most days this month.`,
})
