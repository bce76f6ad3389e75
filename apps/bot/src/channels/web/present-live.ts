// Text as it is written, in notices of about every 50 ms. Nobody waits for the database here: while it is busy events
// gather, up to a bound, and beyond that text is dropped. Text says how many characters went before it, so a page that
// misses some notices it and reads the message once it is stored.
import type { LiveEvent, LiveNotice } from '@quartermaster/db'
import { limits } from '../../limits.ts'
import type { Place, Presenter } from '../channel.ts'

/** What a line about a tool call or a run may have; a notice has 8,000 bytes in all. */
const lineLength = 300

export function presentLive(tell: (notices: readonly LiveNotice[]) => Promise<void>, place: Place): Presenter {
  const { workspaceId, conversationId, runId } = place
  let waiting: LiveEvent[] = []
  let characters = 0
  let announcing: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null
  let ended = false
  /** Of the step that is being written: how many characters were said so far, dropped ones included. */
  let written = { step: -1, length: 0 }

  function add(event: LiveEvent): void {
    if (ended) return
    waiting.push(event)
    if (event.kind === 'text') characters += event.text.length
    if (characters > limits.presentCharacters || waiting.length > limits.presentEvents) makeRoom()
    schedule()
  }

  function makeRoom(): void {
    // A page can read text later; that a tool call is done it would show wrongly until then. The newest say more.
    waiting = waiting.filter((event) => event.kind !== 'text').slice(-limits.presentEvents)
    characters = 0
  }

  function schedule(): void {
    if (timer || announcing || !waiting.length) return
    timer = setTimeout(announce, limits.presentEveryMs)
    timer.unref()
  }

  function announce(): void {
    timer = null
    if (announcing) return
    const events = waiting
    waiting = []
    characters = 0
    announcing = tell(events.map((event) => ({ workspaceId, conversationId, runId, event })))
      .catch(() => {}) // What cannot be shown is not shown; the rows have everything.
      .then(() => {
        announcing = null
        schedule()
      })
  }

  return {
    text(step, text) {
      if (!text || ended) return
      if (written.step !== step) written = { step, length: 0 }
      const from = written.length
      written.length += text.length
      const last = waiting.at(-1)
      // Only what follows directly: after something dropped, `from` has to say so.
      const follows = last?.kind === 'text' && last.step === step && last.from + last.text.length === from
      if (!follows || characters + text.length > limits.presentCharacters)
        return add({ kind: 'text', step, from, text })
      last.text += text
      characters += text.length
    },
    restart(step, keep) {
      written = { step, length: keep }
      add({ kind: 'restart', step, keep })
    },
    activity({ toolUseId, tool, title, state, line }) {
      add({
        kind: 'activity',
        toolUseId: clip(toolUseId),
        tool: clip(tool),
        title: clip(title),
        state,
        ...(line === undefined ? {} : { line: clip(line) }),
      })
    },
    status(sentence) {
      add({ kind: 'status', sentence: clip(sentence) })
    },
    stepEnd(step) {
      add({ kind: 'step-end', step })
    },
    async end() {
      if (ended) return
      ended = true
      if (timer) clearTimeout(timer)
      timer = null
      await within(limits.presentEndMs, async () => {
        while (announcing) await announcing
        if (waiting.length) announce()
        while (announcing) await announcing
      })
      waiting = []
    },
  }
}

function clip(text: string): string {
  if (text.length <= lineLength) return text
  // Half of a surrogate pair is no character.
  return `${text.slice(0, lineLength - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Waits for the work, but not longer than this. */
async function within(milliseconds: number, work: () => Promise<void>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  await Promise.race([work(), late])
  clearTimeout(timer)
}
