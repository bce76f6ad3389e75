// The Home tab: what waits for me, what I asked for, who I can ask. Rendered from plain values.
import type { QuestionCard, RunOfMember } from '@quartermaster/db'
import type { HomeView, KnownBlock } from '@slack/types'
import { renderCard } from '../render/render-card.ts'

export interface Home {
  /** Null: not a member (yet). */
  member: { questions: QuestionCard[]; more: boolean; runs: (RunOfMember & { link: string | null })[] } | null
  agents: { name: string; description: string }[]
  consoleUrl: string | null
}

/** Slack takes 100 blocks in a view, and a card has up to a dozen. */
const blocksAtMost = 100
const cardBlocks = 60

const states: Record<RunOfMember['status'], string> = {
  queued: 'waiting for its turn',
  running: 'at work',
  waiting: 'waiting for an answer',
  succeeded: 'done',
  failed: 'failed',
  stopped: 'stopped',
}

export function renderHome({ member, agents, consoleUrl }: Home): HomeView {
  const blocks = [
    ...(member ? [...questionBlocks(member), { type: 'divider' as const }, ...runBlocks(member)] : [welcome]),
    { type: 'divider' as const },
    ...agentBlocks(agents),
    ...(consoleUrl ? [context(`<${consoleUrl}|Open the console>`)] : []),
  ]
  return { type: 'home', blocks: blocks.slice(0, blocksAtMost) }
}

const welcome: KnownBlock = {
  type: 'section',
  text: {
    type: 'mrkdwn',
    text: 'Hello! Write to me under *Messages*, or mention me in a channel. What I may do, I do; where somebody must decide, I ask.',
  },
}

function questionBlocks({ questions, more }: NonNullable<Home['member']>): KnownBlock[] {
  const blocks: KnownBlock[] = [header('Waiting for your answer')]
  if (!questions.length) return [...blocks, context('Nothing waits for you.')]
  let shown = 0
  for (const card of questions) {
    const rendered = renderCard(card, { inThread: false }).blocks.map(fitForView)
    if (blocks.length + rendered.length > cardBlocks) break
    blocks.push(...rendered)
    shown++
  }
  if (more || shown < questions.length) blocks.push(context('There are more: answer these, and they come.'))
  return blocks
}

/** Markdown blocks are for messages only; here their text stands as it is. */
function fitForView(block: KnownBlock): KnownBlock {
  if (block.type !== 'markdown') return block
  const text = block.text.length > 3_000 ? `${block.text.slice(0, 2_999)}…` : block.text
  return { type: 'section', text: { type: 'plain_text', text, emoji: false } }
}

function runBlocks({ runs }: NonNullable<Home['member']>): KnownBlock[] {
  const lines = runs.map((run) => {
    const title = inline(run.title || 'Untitled')
    return `${run.link ? `<${run.link}|${title}>` : title} · ${inline(run.agentName)} · ${states[run.status] ?? run.status}`
  })
  return [
    header('What you asked for'),
    ...(lines.length ? lines.map((line) => section(line)) : [context('Nothing yet.')]),
  ]
}

function agentBlocks(agents: Home['agents']): KnownBlock[] {
  const lines = agents.map(({ name, description }) =>
    section(`*${inline(name)}*${description ? `  ${inline(description)}` : ''}`),
  )
  return [header('Who you can ask'), ...lines, context('`/qm agent` in a channel says who answers there.')]
}

const header = (text: string): KnownBlock => ({ type: 'header', text: { type: 'plain_text', text } })
const section = (text: string): KnownBlock => ({
  type: 'section',
  text: { type: 'mrkdwn', text: text.slice(0, 2_900) },
})
const context = (text: string): KnownBlock => ({ type: 'context', elements: [{ type: 'mrkdwn', text }] })

/** Slack's own escapes, on one line, and without what would be a link or a mention. */
const inline = (text: string) =>
  cut(text.replaceAll(/\s+/g, ' ')).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const cut = (text: string) => (text.length > 150 ? `${text.slice(0, 149)}…` : text)
