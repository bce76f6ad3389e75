// A run as it goes on, shown about once a second: what comes in between is shown together. Nobody waits for Telegram
// here, and what it does not take is not shown. The delivered messages have everything.
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../../../limits.ts'
import type { Presenter } from '../../channel.ts'
import { retryAfterOf } from '../connect/describe-refusal.ts'
import { telegramLimits } from '../limits.ts'
import { shorten } from '../render/escape-html.ts'
import type { Activity, WorkView } from './work-view.ts'

/** Where the work is shown. Each may throw what Telegram answered. */
export interface Surface {
  show(view: WorkView, signal: AbortSignal): Promise<void>
  typing(signal: AbortSignal): Promise<void>
  /** How long after the last change the next one is shown. */
  everyMs(): number
  /** How long what is shown stays; null: for good. */
  lastsMs: number | null
  /** How long to wait before anything is shown at all, for many answers are quick. */
  patienceMs: number
  /** Whether the last words of a step are shown although they are sent at once. */
  showsEnds: boolean
}

export interface ShownWork extends Presenter {
  /** The text of this step (null: everything) is being sent as a message: nothing more of it is shown. */
  settle(step: number | null): Promise<void>
}

/** Kept of a text, in characters; a delivery has all of it. */
const mostText = 64 * 1024
const mostActivities = 100
const everything = Number.MAX_SAFE_INTEGER
/** How long the end waits for the delivery that replaces what is shown, before it shows it once more. */
const handOverMs = 150

export function presentWork(surface: Surface): ShownWork {
  const began = Date.now()
  const cut = new AbortController()
  const activities = new Map<string, Activity>()
  let step = 0
  let text = ''
  let status = ''
  /** Steps whose text was sent, or is being sent. */
  let settled = -1
  /** What steps said that are over, and that was not shown yet. */
  let unshown: WorkView[] = []
  let dirty = false
  let ended = false
  let showing: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null
  let shownAt = 0
  let quietUntil = 0

  const view = (): WorkView => ({ step, text, activities: [...activities.values()], status })

  function changed(): void {
    if (settled === everything) return
    dirty = true
    schedule()
  }

  function schedule(): void {
    if (timer || showing || ended || !(dirty || unshown.length)) return
    const due = Math.max(shownAt + surface.everyMs(), began + surface.patienceMs, quietUntil)
    timer = setTimeout(
      () => {
        timer = null
        showing = showNext().finally(() => {
          showing = null
          schedule()
        })
      },
      Math.max(0, due - Date.now()),
    )
    timer.unref()
  }

  /** Never throws. */
  async function showNext(): Promise<void> {
    const next = unshown.shift() ?? (dirty ? view() : null)
    if (!next) return
    if (!unshown.length && next.step === step) dirty = false
    shownAt = Date.now()
    try {
      await surface.show(next, cut.signal)
    } catch (error) {
      quietUntil = Date.now() + (retryAfterOf(error) ?? 0)
    }
  }

  function moveTo(next: number): boolean {
    if (ended || next <= settled) return false
    if (next !== step) {
      step = next
      text = ''
    }
    return true
  }

  const typing = () => {
    if (Date.now() >= quietUntil) surface.typing(cut.signal).catch(() => {})
  }
  typing()
  const typist = setInterval(typing, telegramLimits.typingEveryMs)
  typist.unref()
  const refresher = surface.lastsMs === null ? null : setInterval(changed, surface.lastsMs)
  refresher?.unref()
  // That somebody is at work can be seen, and stopped, before there is anything to read.
  changed()

  return {
    text(of, more) {
      if (!more || !moveTo(of)) return
      text = (text + more).slice(0, mostText)
      changed()
    },
    restart(of, keep) {
      if (!moveTo(of)) return
      text = text.slice(0, Math.max(0, keep))
      changed()
    },
    activity({ toolUseId, title, state, line }) {
      if (ended) return
      const key = toolUseId.slice(0, 200)
      activities.set(key, {
        title: shorten(title, 200),
        state,
        ...(line === undefined ? {} : { line: shorten(line, 200) }),
      })
      if (activities.size > mostActivities) activities.delete(activities.keys().next().value as string)
      changed()
    },
    status(sentence) {
      if (ended) return
      status = shorten(sentence, 200)
      changed()
    },
    stepEnd(of) {
      if (ended || of !== step || !text) return
      if (surface.showsEnds && dirty && of > settled) unshown = [...unshown, view()].slice(-5)
      // It becomes a message now; what follows is shown without it.
      settled = Math.max(settled, of - (surface.showsEnds ? 1 : 0))
      text = ''
      dirty = false
      schedule()
    },
    async settle(of) {
      settled = Math.max(settled, of ?? everything)
      unshown = unshown.filter((each) => each.step > settled)
      if (step <= settled) {
        text = ''
        dirty = false
      }
      await Promise.race([showing, sleep(limits.presentEndMs, undefined, { ref: false })])
    },
    async end() {
      if (ended) return
      ended = true
      clearInterval(typist)
      if (refresher) clearInterval(refresher)
      if (timer) clearTimeout(timer)
      timer = null
      if (surface.showsEnds && (unshown.length || dirty)) {
        const flush = async () => {
          await showing
          if (settled < step) await sleep(handOverMs)
          while (unshown.length || dirty) await showNext()
        }
        await Promise.race([flush(), sleep(limits.presentEndMs, undefined, { ref: false })])
      }
      cut.abort()
    },
  }
}
