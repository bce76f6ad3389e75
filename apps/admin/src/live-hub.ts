// One LISTEN connection for all who look at a conversation. Notices say that something changed, or decorate what is
// there (text as it is written); what counts is read from the database by whoever is told.
import {
  type Database,
  deliveryChannel,
  type LiveEvent,
  type LiveNotice,
  listen,
  liveChannel,
  type Notice,
  type RunEventNotice,
  runEventChannel,
} from '@quartermaster/db'

export type HubEvent =
  /** Something of the conversation is different in the database. */
  | { kind: 'changed' }
  /** Notices may have been lost: what was decorated so far counts no more. */
  | { kind: 'gap' }
  | { kind: 'live'; runId: string; event: LiveEvent }

export interface LiveHub {
  /**
   * Calls `onEvent` for the conversation until the returned function is called. What is being written right now comes
   * first, so that whoever joins late sees it from its beginning. `onClose`: the console stops.
   */
  follow(
    place: { workspaceId: string; conversationId: string },
    onEvent: (event: HubEvent) => void,
    onClose: () => void,
  ): () => void
  /** Calls `onChange` with what happened to any run of the workspace; with null when anything may have. */
  watch(workspaceId: string, onChange: (change: RunEventNotice | null) => void, onClose: () => void): () => void
  close(): void
}

/** How many conversations' unfinished steps are kept, and how much of each; then a late viewer sees the end only. */
const kept = { conversations: 500, characters: 200_000 }
/** How many runs' conversations are remembered, so that a notice costs no query. */
const rememberedRuns = 2_000

interface Written {
  workspaceId: string
  runId: string
  step: number
  text: string
}

interface Follower {
  workspaceId: string
  onEvent: (event: HubEvent) => void
  onClose: () => void
}

interface Watcher {
  workspaceId: string
  onChange: (change: RunEventNotice | null) => void
  onClose: () => void
}

export async function openLiveHub(url: string, db: Pick<Database, 'pool'>): Promise<LiveHub> {
  const ending = new AbortController()
  const followers = new Map<string, Set<Follower>>()
  const watchers = new Set<Watcher>()
  const written = new Map<string, Written>()
  const conversationOf = new Map<string, string>()

  const tell = (conversationId: string, workspaceId: string | null, event: HubEvent) => {
    for (const follower of followers.get(conversationId) ?? [])
      if (workspaceId === null || follower.workspaceId === workspaceId) follower.onEvent(event)
  }

  const remember = <V>(map: Map<string, V>, key: string, value: V, most: number) => {
    map.delete(key)
    map.set(key, value)
    if (map.size > most) map.delete(map.keys().next().value as string)
  }

  const onLive = ({ workspaceId, conversationId, runId, event }: LiveNotice) => {
    const before = written.get(conversationId)
    const after = writeOn(before, { workspaceId, runId, event })
    if (after) remember(written, conversationId, after, kept.conversations)
    else if (after === null) written.delete(conversationId)
    tell(conversationId, workspaceId, { kind: 'live', runId, event })
  }

  const onRunEvent = async (notice: RunEventNotice) => {
    const { workspaceId, runId, kind } = notice
    for (const watcher of watchers) if (watcher.workspaceId === workspaceId) watcher.onChange(notice)
    if (!followers.size) return
    let conversationId = conversationOf.get(runId)
    if (!conversationId) {
      const { rows } = await db.pool.query('SELECT conversation_id FROM runs WHERE id = $1', [runId])
      conversationId = rows[0]?.conversation_id as string | undefined
      if (!conversationId) return
      remember(conversationOf, runId, conversationId, rememberedRuns)
    }
    if (kind === 'run-end' || kind === 'run-park') written.delete(conversationId)
    tell(conversationId, workspaceId, { kind: 'changed' })
  }

  const onGap = () => {
    written.clear()
    for (const watcher of watchers) watcher.onChange(null)
    for (const all of followers.values()) for (const follower of all) follower.onEvent({ kind: 'gap' })
  }

  const onNotice = (notice: Notice) => {
    if (notice.kind === 'gap') return onGap()
    try {
      const payload = JSON.parse(notice.payload)
      if (notice.channel === liveChannel) onLive(payload)
      else if (notice.channel === deliveryChannel) tell(payload.conversationId, null, { kind: 'changed' })
      // Whoever was not told because the database did not answer reads again when it does.
      else onRunEvent(payload).catch(onGap)
    } catch (error) {
      console.error('console: a notice could not be read:', error)
    }
  }

  await listen(url, [runEventChannel, liveChannel, deliveryChannel], onNotice, {
    signal: ending.signal,
    name: 'console-live',
  })

  return {
    follow({ workspaceId, conversationId }, onEvent, onClose) {
      const follower = { workspaceId, onEvent, onClose }
      const all = followers.get(conversationId) ?? new Set()
      followers.set(conversationId, all.add(follower))
      const so = written.get(conversationId)
      if (so?.workspaceId === workspaceId && so.text)
        onEvent({ kind: 'live', runId: so.runId, event: { kind: 'text', step: so.step, from: 0, text: so.text } })
      return () => {
        all.delete(follower)
        if (!all.size && followers.get(conversationId) === all) followers.delete(conversationId)
      }
    },
    watch(workspaceId, onChange, onClose) {
      const watcher = { workspaceId, onChange, onClose }
      watchers.add(watcher)
      return () => void watchers.delete(watcher)
    },
    close() {
      ending.abort()
      for (const watcher of [...watchers]) watcher.onClose()
      watchers.clear()
      for (const all of [...followers.values()]) for (const follower of [...all]) follower.onClose()
      followers.clear()
    },
  }
}

/** What is written of the step after the event: null when it is over, undefined when the event says nothing of it. */
function writeOn(
  before: Written | undefined,
  { workspaceId, runId, event }: { workspaceId: string; runId: string; event: LiveEvent },
): Written | null | undefined {
  if (event.kind === 'step-end') return null
  if (event.kind !== 'text' && event.kind !== 'restart') return undefined
  const same = before?.runId === runId && before.step === event.step ? before : null
  if (event.kind === 'restart') return same ? { ...same, text: same.text.slice(0, event.keep) } : null
  const text = same?.text ?? ''
  // Without its beginning, or too long to be kept: a late viewer then waits for the message itself.
  if (text.length !== event.from || text.length + event.text.length > kept.characters) return null
  return { workspaceId, runId, step: event.step, text: text + event.text }
}
