// What people see while a run works: the session's status, and a streamed message with the tools and the text of a step
// as it is written. Everything here is for show: it waits for nobody, and what cannot be shown is not shown. The answer
// itself is a delivery, which turns the message into it (deliver/finish-streams.ts).
//
// A page is what one message shows: the tools that were used, then the text of one step. With the end of the step the
// page is done, and whatever comes next begins a new one.
import { randomUUID } from 'node:crypto'
import { WebAPIRateLimitedError, type WebClient } from '@slack/web-api'
import type { Place, Presenter } from '../../channel.ts'
import { presentNothing } from '../../present-nothing.ts'
import type { SlackConnection, SlackTeam } from '../connect/slack-connection.ts'
import { refusalOf } from '../deliver/refusal.ts'
import { parseThreadKey, type SlackPlace } from '../deliver/slack-place.ts'
import { limits } from '../limits.ts'
import {
  editMessage,
  type LiveMessage,
  newChunks,
  noteOf,
  type Page,
  type ShownTask,
  shownOf,
  workMetadata,
} from './live-message.ts'
import type { LivePresenters } from './live-presenters.ts'
import type { Pace } from './pace.ts'
import { findRecipient, hasOpenQuestion, isStepSent } from './read-run.ts'
import { showStatus } from './session-status.ts'
import { dropStreamNotes, findLeftStream, isStreamNoted, noteStream } from './stream-note.ts'

export interface Presenting {
  slack: SlackConnection
  pace: Pace
  presenters: LivePresenters
}

/** More of them wait only where Slack does not answer; their text comes with the answers anyway. */
const mostPages = 8
/** A status sentence is shown like a tool call, until something happens. */
const statusTask = 'qm-status'

/** The client, the team and whom a stream is for; looked up once. */
interface Stage {
  client: WebClient
  team: SlackTeam
  recipient: { recipient_team_id: string; recipient_user_id: string } | null
}

export function presentWork(presenting: Presenting, place: Place): Presenter {
  const thread = parseThreadKey(place.conversationKey)
  return thread ? new WorkPresenter(presenting, place, thread) : presentNothing
}

class WorkPresenter implements Presenter {
  private readonly pages: Page[] = []
  /** All of these is shown; their deliveries come for them. */
  private shownPages: Page[] = []
  private flushing: Promise<void> | null = null
  private timer: NodeJS.Timeout | null = null
  private idleTimer: NodeJS.Timeout | null = null
  private isEnded = false
  /** After the end of the time for the end, nothing is begun any more. */
  private isOver = false
  /** A call ended without an answer: what Slack shows is not certain any more. */
  private isUnclear = false
  private stage: Promise<Stage | null> | null = null
  private readonly stopStatus: () => Promise<void>
  private readonly forget: () => void
  private readonly presenting: Presenting
  private readonly place: Place
  private readonly thread: SlackPlace & { threadTs: string }

  constructor(presenting: Presenting, place: Place, thread: SlackPlace & { threadTs: string }) {
    this.presenting = presenting
    this.place = place
    this.thread = thread
    this.stopStatus = showStatus(presenting, place, thread)
    this.forget = presenting.presenters.add(place.conversationId, { letGo: (keys) => this.letGo(keys) })
  }

  text(step: number, text: string): void {
    if (this.isEnded || !text) return
    const page = this.pageFor(step)
    page.step = step
    // What a message cannot hold is not kept either; one more character tells that there is more.
    if (page.text.length <= limits.streamText) page.text += text.slice(0, limits.streamText + 1 - page.text.length)
    this.clearStatus(page)
    this.schedule()
  }

  restart(step: number, keep: number): void {
    const page = this.pages.at(-1)
    if (this.isEnded || page?.step !== step || page.ended) return
    page.text = page.text.slice(0, Math.max(0, keep))
    this.schedule()
  }

  activity({ toolUseId, title, state, line }: Parameters<Presenter['activity']>[0]): void {
    if (this.isEnded) return
    const page = this.pageFor(null)
    this.clearStatus(page)
    const known = page.tasks.get(toolUseId)
    page.tasks.set(toolUseId, { id: toolUseId, title, state, line: line ?? known?.line })
    this.schedule()
  }

  status(sentence: string): void {
    if (this.isEnded) return
    const page = this.pageFor(null)
    page.tasks.set(statusTask, { id: statusTask, title: sentence, state: 'running' })
    this.schedule()
  }

  stepEnd(step: number): void {
    const page = this.pages.at(-1)
    if (this.isEnded || page?.step !== step) return
    page.ended = true
    this.schedule(0)
  }

  async end(): Promise<void> {
    if (this.isEnded) return
    this.isEnded = true
    const statusStopped = this.stopStatus()
    // The last answer's delivery comes after the end of the run, and asks what its stream shows.
    setTimeout(this.forget, limits.freshMs).unref()
    if (this.timer) clearTimeout(this.timer)
    if (this.idleTimer) clearTimeout(this.idleTimer)
    await within(limits.presentEndMs, async () => {
      await this.flushing
      await this.flush()
      for (const page of this.pages) await this.close(page)
      await statusStopped
      await this.leave()
    })
    this.isOver = true
  }

  /** A delivery has these messages now. Nothing more is begun to them, and what is under way is waited for. */
  private async letGo(keys: readonly string[]): Promise<Map<string, string>> {
    const streams = [...this.shownPages, ...this.pages].flatMap((page) => {
      const { live, muted } = page
      if (!live || !keys.includes(live.key)) return []
      page.muted = true
      page.ended = true
      return muted ? [] : [live]
    })
    await within(limits.presentEndMs, async () => {
      await this.flushing
    })
    // What did not end well, or has not ended, may show more than anybody knows.
    if (this.flushing || this.isUnclear) return new Map()
    return new Map(streams.flatMap(({ key, mode, shown }) => (mode === 'stream' ? [[key, shown.text] as const] : [])))
  }

  private pageFor(step: number | null): Page {
    const last = this.pages.at(-1)
    if (last && !last.ended && (step === null || last.step === null || last.step === step)) return last
    const page: Page = { step: null, text: '', tasks: new Map(), ended: false, muted: false, live: null }
    if (last) last.ended = true
    this.pages.push(page)
    if (this.pages.length > mostPages) this.pages.splice(0, this.pages.length - mostPages)
    return page
  }

  private clearStatus(page: Page): void {
    const task = page.tasks.get(statusTask)
    if (task?.state !== 'running') return
    if (page.live) page.tasks.set(statusTask, { ...task, state: 'done' })
    else page.tasks.delete(statusTask)
  }

  private schedule(afterMs: number = limits.presentEveryMs): void {
    if (this.isEnded || this.timer || this.flushing) return
    this.timer = setTimeout(() => {
      this.timer = null
      void this.flush()
    }, afterMs)
    this.timer.unref()
  }

  private flush(): Promise<void> {
    this.flushing ??= this.showPages()
      .catch((error: unknown) => this.presenting.slack.log.debug({ error }, 'work in progress could not be shown'))
      .then((waitMs) => {
        this.flushing = null
        if (this.pages.some((page) => this.hasMore(page))) this.schedule(Math.max(waitMs ?? 0, limits.presentEveryMs))
        else this.watchIdle()
      })
    return this.flushing
  }

  private hasMore(page: Page): boolean {
    if (page.muted || !mayStart(page)) return false
    const chunks = page.live ? newChunks(page, page.live.shown) : null
    return chunks === null || chunks.length > 0
  }

  /** Resolves with the time after which there is something to do again. */
  private async showPages(): Promise<number> {
    while (this.pages.length && !this.isOver) {
      const page = this.pages[0] as Page
      const waitMs = await this.show(page)
      if (waitMs > 0) return waitMs
      if (!page.ended || page !== this.pages[0]) return 0
      this.pages.shift()
      this.shownPages = [...this.shownPages, page].slice(-mostPages)
    }
    return 0
  }

  private async show(page: Page): Promise<number> {
    if (!this.hasMore(page)) return 0
    this.stage ??= this.openStage()
    const stage = await this.stage
    if (!stage) {
      page.muted = true
      return 0
    }
    try {
      if (page.live && page.live.shown.text === '' && page.text && this.isOld(page.live))
        await this.turnOver(stage, page)
      page.live ??= await this.adopt(page)
      if (!page.live) return await this.start(stage, page)
      return page.live.mode === 'stream'
        ? await this.append(stage, page, page.live)
        : await this.edit(stage, page, page.live)
    } catch (error) {
      return this.takeRefusal(page, stage, error)
    }
  }

  private isOld(live: LiveMessage): boolean {
    return Date.now() - live.startedAt > limits.freshMs
  }

  /** The tools stay where they are, and the text begins a message of its own: people are told of it. */
  private async turnOver(stage: Stage, page: Page): Promise<void> {
    const live = page.live as LiveMessage
    await this.finish(stage, { ...page, step: null, text: '' }, live)
    page.live = null
    for (const [id, task] of page.tasks) if (task.state !== 'running' && task.state !== 'waiting') page.tasks.delete(id)
  }

  /** What a lost process began to show of this is gone on with. */
  private async adopt(page: Page): Promise<LiveMessage | null> {
    const { conversationId, runId } = this.place
    const left = await findLeftStream(this.presenting.slack.chat.db, conversationId, { runId, step: page.step })
    if (!left?.ts || this.pages.some(({ live }) => live?.key === left.key)) return null
    const shown = { text: '\0', tasks: new Map<string, string>() }
    return { key: left.key, ts: left.ts, mode: 'edit', startedAt: left.since, lastCallAt: Date.now(), shown }
  }

  private async start(stage: Stage, page: Page): Promise<number> {
    const { client, team, recipient } = stage
    const { db } = this.presenting.slack.chat
    const { channel, threadTs } = this.thread
    const { conversationId, runId } = this.place
    const waitMs = this.presenting.pace.take(team.teamId, 'start', limits.startsAMinute)
    if (waitMs > 0) return waitMs
    const begun = { key: randomUUID(), startedAt: Date.now() }
    const shown = shownOf(page)
    const chunks = newChunks(page, { text: '', tasks: new Map() }) ?? []
    // Noted before it is begun: whoever finds us dead in between looks for it in the thread.
    await noteStream(db, conversationId, noteOf(page, runId, begun, null))
    // In this order: either the delivery finds the note, or we find the delivery.
    if (page.step !== null && (await isStepSent(db, { conversationId, runId, step: page.step }))) {
      page.muted = true
      await dropStreamNotes(db, conversationId, [begun.key])
      return 0
    }
    const started = await client.chat
      .startStream({ channel, thread_ts: threadTs, task_display_mode: 'timeline', chunks, ...recipient })
      .catch(async (error: unknown) => {
        if (refusalOf(error) || error instanceof WebAPIRateLimitedError)
          await dropStreamNotes(db, conversationId, [begun.key])
        throw error
      })
    const ts = started.ts as string
    page.live = { ...begun, ts, mode: 'stream', lastCallAt: Date.now(), shown }
    if (await noteStream(db, conversationId, noteOf(page, runId, begun, ts))) return 0
    // A delivery has the note. If it has found the message by itself, it has ended the stream as well; else it does not
    // know of it, and never will.
    page.muted = true
    const isOurs = await client.chat.stopStream({ channel, ts }).then(
      () => true,
      () => false,
    )
    if (isOurs) await client.chat.delete({ channel, ts })
    return 0
  }

  private async append(stage: Stage, page: Page, live: LiveMessage): Promise<number> {
    const chunks = newChunks(page, live.shown)
    // Of this very moment, as the chunks are: what is written while the note is kept is for the next ones.
    const shown = shownOf(page)
    if (chunks === null) {
      await this.leaveStream(stage, live)
      return this.edit(stage, page, live)
    }
    const waitMs = this.presenting.pace.take(stage.team.teamId, 'append', limits.appendsAMinute)
    if (waitMs > 0) return waitMs
    if (!(await this.note(page, live))) return 0
    await stage.client.chat.appendStream({ channel: this.thread.channel, ts: live.ts, chunks })
    live.shown = shown
    live.lastCallAt = Date.now()
    return 0
  }

  private async edit(stage: Stage, page: Page, live: LiveMessage): Promise<number> {
    const waitMs = this.presenting.pace.take(stage.team.teamId, 'edit', limits.editsAMinute)
    if (waitMs > 0) return waitMs
    if (!(await this.note(page, live))) return 0
    const shown = shownOf(page)
    await editMessage(stage.client, this.thread, live.ts, page)
    live.shown = shown
    live.lastCallAt = Date.now()
    return 0
  }

  /** False: a delivery has the message by now, and shows all of it. */
  private async note(page: Page, live: LiveMessage): Promise<boolean> {
    const { conversationId, runId } = this.place
    const note = noteOf(page, runId, live, live.ts)
    const { db } = this.presenting.slack.chat
    const isOurs = (await isStreamNoted(db, conversationId, live.key)) && (await noteStream(db, conversationId, note))
    if (!isOurs) page.muted = true
    return isOurs
  }

  /** From now on it is edited. */
  private async leaveStream({ client }: Stage, live: LiveMessage): Promise<void> {
    live.mode = 'edit'
    await client.chat
      .stopStream({ channel: this.thread.channel, ts: live.ts, metadata: workMetadata })
      .catch((error: unknown) => {
        if (refusalOf(error) !== 'message_not_in_streaming_state') throw error
      })
  }

  /** What a refusal of Slack's means for what is shown; resolves with when to go on. */
  private takeRefusal(page: Page, stage: Stage, error: unknown): number {
    const { log, refused } = this.presenting.slack
    if (error instanceof WebAPIRateLimitedError) {
      const waitMs = error.retryAfter * 1000
      for (const method of page.live ? [page.live.mode === 'stream' ? 'append' : 'edit'] : ['start'])
        this.presenting.pace.hold(stage.team.teamId, method, waitMs)
      return waitMs
    }
    const code = refusalOf(error)
    if (code === null) this.isUnclear = true
    if (code === 'message_not_in_streaming_state' && page.live?.mode === 'stream') {
      // It was idle for too long, or somebody pressed Stop, or the answer has it: the note tells, before the first edit.
      page.live.mode = 'edit'
      return limits.presentEveryMs
    }
    page.muted = true
    if (code === 'message_not_found' && page.live) {
      // Somebody deleted it: they do not want to see it, and the answer will be a message of its own.
      const { key } = page.live
      page.live = null
      void dropStreamNotes(this.presenting.slack.chat.db, this.place.conversationId, [key]).catch(() => {})
      return 0
    }
    if (code) refused(this.place.channelId, code, this.thread.channel)
    log.info({ error, runId: this.place.runId }, 'work in progress is not shown any more')
    return 0
  }

  /** Slack ends a stream that is silent for too long; we end it before, and go on by editing. */
  private watchIdle(): void {
    if (this.idleTimer || this.isEnded) return
    const page = this.pages.at(-1)
    if (!page?.live || page.muted || page.live.mode !== 'stream') return
    const { live } = page
    const waitMs = Math.max(0, live.lastCallAt + limits.streamIdleMs - Date.now())
    this.idleTimer = setTimeout(() => {
      this.idleTimer = null
      if (live.mode !== 'stream' || page.muted) return
      if (Date.now() - live.lastCallAt < limits.streamIdleMs) return this.watchIdle()
      this.flushing ??= this.stage!.then((stage) => stage && this.leaveStream(stage, live))
        .catch(() => {})
        .then(() => {
          this.flushing = null
          this.schedule()
        })
    }, waitMs)
    this.idleTimer.unref()
  }

  /** At the end: what only shows tools stays as it is; a text that was not finished is left for whoever goes on. */
  private async close(page: Page): Promise<void> {
    const stage = await this.stage
    if (!stage || !page.live || page.muted) return
    try {
      if (page.step === null) await this.finish(stage, page, page.live)
      else if (!page.ended && page.live.mode === 'stream') await this.leaveStream(stage, page.live)
    } catch (error) {
      this.presenting.slack.log.debug({ error }, 'a stream could not be ended')
    }
  }

  private async finish(stage: Stage, page: Page, live: LiveMessage): Promise<void> {
    if (!(await this.note(page, live))) return
    if (live.mode === 'stream') await this.leaveStream(stage, live)
    await dropStreamNotes(this.presenting.slack.chat.db, this.place.conversationId, [live.key])
  }

  /** The status in which the session is left. */
  private async leave(): Promise<void> {
    const { slack } = this.presenting
    const client = await slack.clientFor(this.place.channelId)
    const status = (await hasOpenQuestion(slack.chat.db, this.place.runId)) ? 'suspended' : 'active'
    const { channel, threadTs } = this.thread
    await client.agents.sessions
      .setStatus({ channel_id: channel, thread_ts: threadTs, status })
      .catch((error: unknown) => slack.log.debug({ error }, 'the status of a session could not be set'))
  }

  private async openStage(): Promise<Stage | null> {
    const { slack } = this.presenting
    const [client, team] = await Promise.all([
      slack.clientFor(this.place.channelId),
      slack.teamOf(this.place.channelId),
    ])
    if (this.thread.channel.startsWith('D')) return { client, team, recipient: null }
    // Elsewhere Slack wants to know whom the words are for; without anybody there is no stream.
    const recipient = await findRecipient(slack.chat.db, this.place.runId)
    return recipient && { client, team, recipient }
  }
}

/** A call that only waits is told by its card; for that alone no message is begun. */
function mayStart(page: Page): boolean {
  if (page.live || page.text.trim()) return true
  return [...page.tasks.values()].some(({ state }: ShownTask) => state !== 'waiting')
}

/** Waits for the work, but not longer than this. Never throws. */
async function within(milliseconds: number, work: () => Promise<void>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  await Promise.race([work().catch(() => {}), late])
  clearTimeout(timer)
}
