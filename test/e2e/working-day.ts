// A working day, on whatever platforms: people talk to the bot in many threads at once, approve, deny, choose, and press
// what is not theirs to press; meanwhile the bot is updated, killed, and joined by another one. At the end every thread
// says what it should, once and in order, and nothing else.
import { expect } from 'vitest'
import { type BotProcess, until } from './start-bot.ts'

/** As whom the bot is seen, on every platform. */
export const theBot = 'the bot'

/** A platform, as people meet it. They are known by their names. */
export interface Stage {
  /** Who has an account here. */
  readonly people: readonly string[]
  /** Somebody begins to talk to the bot, at a place that is chosen by the number. */
  begin(person: string, text: string, number: number): Talk
  /** What the bot has written to somebody alone since the day began, outside of any talk. */
  alone(person: string): Seen[]
  /** What popped up for somebody alone since the day began. */
  notices(person: string): string[]
}

/** A thread, a topic, a group. */
export interface Talk {
  /** Only they and the bot are here. */
  isDirect: boolean
  reply(person: string, text: string): void
  /** What stands here, the unfinished excepted. */
  seen(): Seen[]
  /** What the bot has begun to write and not finished. */
  unfinished(): number
}

export interface Seen {
  from: string
  text: string
  buttons: readonly string[]
  /** Rejects where there is no such button any more. */
  click(person: string, button: string): Promise<unknown>
}

export interface Day {
  stages: readonly Stage[]
  approvers: readonly string[]
  staff: readonly string[]
  connect(): Promise<BotProcess>
}

/** A talk, and what stands in it at the end: who says it, and a part of what they say. */
export interface Talked {
  number: number
  stage: Stage
  talk: Talk
  expected: [who: string, words: string][]
  /** What was asked of the approvers, and what the cards say at the end. */
  decided?: { about: RegExp; approves: boolean; isLost: boolean; words: string }
}

const patience = 120_000

const threads = 200

/** People to work with. */
export const names = [
  ...['Bea', 'Carl', 'Dora', 'Emil', 'Fay', 'Gus', 'Hana', 'Ivo', 'Jana'],
  ...['Kim', 'Lena', 'Max', 'Nora', 'Otto', 'Pia', 'Rob', 'Sue', 'Tom'],
]

export async function playDay(day: Day): Promise<Talked[]> {
  let bots = [await day.connect()]
  const incidents: Record<number, () => Promise<void>> = {
    // An update: the old one ends in order.
    40: async () => {
      bots[0]?.child.kill('SIGTERM')
      await bots[0]?.exited
      bots = [await day.connect()]
    },
    80: async () => void bots.push(await day.connect()),
    110: async () => void bots.shift()?.child.kill('SIGKILL'),
    150: async () => {
      for (const each of bots) each.child.kill('SIGKILL')
      bots = [await day.connect()]
    },
  }
  const talks: Talked[] = []
  let next = 0
  const worker = async () => {
    while (next < threads) {
      const number = next++
      const incident = incidents[number]?.()
      talks.push(await play(day, number))
      await incident
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  return talks
}

async function play({ stages, approvers, staff }: Day, number: number): Promise<Talked> {
  const round = Math.floor(number / 10)
  const kind = number % 10
  const stage = stages[round % stages.length] as Stage
  const present = staff.filter((name) => stage.people.includes(name))
  const person = present[number % present.length] as string
  const verb = kind < 6 ? 'echo' : kind === 6 ? 'read' : kind === 7 ? 'choose' : 'write'
  const order = `${verb} ${number}`
  const talk = stage.begin(person, order, number)
  const talked: Talked = { number, stage, talk, expected: [[person, order]] }
  const hear = async (words: string) => {
    await wait(() => has(talk, words), words)
    talked.expected.push([theBot, words])
  }
  if (verb === 'read') await hear(`Read ${number}.`)
  if (verb === 'echo') await hear(`Noted ${number}.`)
  if (kind === 4 || kind === 5) {
    const other = talk.isDirect ? person : (present[(number + 5) % present.length] as string)
    talk.reply(other, `echo ${number}-again`)
    talked.expected.push([other, `echo ${number}-again`])
    await hear(`Noted ${number}-again.`)
  }
  if (verb === 'choose') {
    const card = await cardIn(talk, 'Tea')
    await pressUntil(() => card.click(person, 'Tea'), talk, `Tea for ${number}.`)
    talked.expected.push([theBot, `Answered by ${person}`], [theBot, `Tea for ${number}.`])
  }
  if (verb === 'write') {
    const approver = approvers[(number + Math.floor(round / 2)) % approvers.length] as string
    const about = new RegExp(`\\bw${number}\\b`)
    const card = await cardIn(talk, 'Approve')
    // Those who may decide have a card of their own, here or where they are, and use it where they are not here. All of
    // them are waited for: whoever is quick could spare the others theirs.
    const copyOf = (name: string) => placeOf(stages, stage, name).alone(name).find(isOpen(about))
    await wait(() => approvers.every(copyOf), `everybody's card about ${number}`)
    const copy = copyOf(approver) as Seen
    // They asked for it, and may not decide it.
    await card.click(person, 'Approve')
    const isHere = !talk.isDirect && stage.people.includes(approver)
    const approves = kind === 8
    const [written, leftOut] = [`Written ${number}.`, `Left out ${number}.`]
    const press = () => (isHere ? card : copy).click(approver, approves ? 'Approve' : 'Deny')
    await pressUntil(press, talk, ...(approves ? [written, leftOut] : [leftOut]))
    // A bot that is killed within the call leaves nobody who knows; people are told, and it is not called again.
    const isLost = approves && has(talk, leftOut)
    talked.decided = { about, approves, isLost, words: `${approves ? 'Approved' : 'Denied'} by ${approver}` }
    talked.expected.push([theBot, talked.decided.words])
    if (isLost) talked.expected.push([theBot, 'Nobody knows whether it finished'])
    talked.expected.push([theBot, approves && !isLost ? written : leftOut])
  }
  return talked
}

/** Fails where anything is missing, doubled, out of order, or not done yet. */
export function checkDay({ stages, approvers, staff }: Day, talks: readonly Talked[]): void {
  expect(talks).toHaveLength(threads)
  for (const { talk, expected, number } of talks) {
    const seen = talk.seen()
    const about = `thread ${number}`
    expect
      .soft(
        seen.map(({ from }) => from),
        about,
      )
      .toEqual(expected.map(([who]) => who))
    for (const [index, [, words]] of expected.entries()) expect.soft(seen[index]?.text, about).toContain(words)
    for (const { buttons } of seen) expect.soft(buttons, about).not.toContain('Approve')
  }
  // Nobody was told anything else: what is private are refusals, and what somebody's own click led to.
  for (const stage of stages)
    for (const person of staff.filter((name) => stage.people.includes(name)))
      for (const text of stage.notices(person)) expect.soft(text).toMatch(privateWords)
  // Each card was shown to each of those who may decide it once, and says now who did.
  const asked = talks.filter(({ decided }) => decided)
  for (const approver of approvers)
    for (const stage of stages) {
      const here = asked.filter((talked) => placeOf(stages, talked.stage, approver) === stage)
      const cards = stage.people.includes(approver) ? stage.alone(approver) : []
      expect.soft(cards, `cards of ${approver}`).toHaveLength(here.length)
      for (const { number, decided } of here) {
        const card = cards.find(({ text }) => decided?.about.test(text))
        expect.soft(card?.text, `${approver}'s card about ${number}`).toContain(decided?.words)
        expect.soft(card?.buttons).not.toContain('Approve')
      }
    }
}

const privateWords =
  /^(You may not answer this|Too late|This is not yours to answer|Answered by|(Approved|Denied) by \w+\. Nothing more)\b/

/** Where somebody is asked alone: on the platform of the talk, if they are there. */
function placeOf(stages: readonly Stage[], stage: Stage, person: string): Stage {
  return [stage, ...stages].find(({ people }) => people.includes(person)) as Stage
}

const isOpen =
  (about: RegExp) =>
  ({ text, buttons }: Seen) =>
    buttons.includes('Approve') && about.test(text)

const has = (talk: Talk, words: string) => talk.seen().some(({ from, text }) => from === theBot && text.includes(words))

const cardIn = (talk: Talk, button: string) =>
  wait(() => talk.seen().find(({ buttons }) => buttons.includes(button)), `a card with “${button}”`)

/** A person whose click leads to nothing, because the bot was just killed, presses again. */
async function pressUntil(press: () => Promise<unknown>, talk: Talk, ...words: string[]): Promise<void> {
  const deadline = Date.now() + patience
  while (Date.now() < deadline) {
    await press().catch(() => {}) // The buttons are gone: it was heard after all.
    const heard = wait(() => words.some((each) => has(talk, each)), 'words', 10_000)
    if (await heard.catch(() => false)) return
  }
  throw new Error(`nobody heard the click for “${words.join('” or “')}”`)
}

async function wait<T>(look: () => T | undefined | false, what: string, ms = patience): Promise<T> {
  try {
    return (await until(async () => look(), Boolean, ms)) as T
  } catch {
    throw new Error(`waited ${ms} ms in vain for ${what}`)
  }
}
