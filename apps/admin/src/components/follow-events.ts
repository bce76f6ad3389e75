'use client'

export interface EventFollower {
  /** The events it wants, by name, with what they carry. */
  events: Readonly<Record<string, (data: unknown) => void>>
  /** Whether events come. Said at once, and whenever it changes. */
  onState(connected: boolean): void
  /**
   * Events may have been missed: the connection is there only now, is back, somebody looks at the page again, or something
   * happened just before this follower joined, maybe after the page that it is on was made.
   */
  onBack(): void
  /** The server will not have us; it is asked again all the same. */
  onRefused?(): void
}

/** How long it may take from the moment in which a page is made until it follows what happens. */
const recentMs = 3_000

/** After a refusal; a connection that merely broke the browser mends by itself. */
const againMs = 5_000

interface Shared {
  followers: Set<EventFollower>
  source: EventSource | null
  connected: boolean
  /** When the last event came. */
  heardAt: number
  again: ReturnType<typeof setTimeout> | undefined
  names: Set<string>
}

const open = new Map<string, Shared>()

/**
 * Server-sent events of an address, over one connection however many parts of the page want them; and over none while
 * nobody sees the page: a browser gives all its tabs together no more than six connections to a server.
 */
export function followEvents(address: string, follower: EventFollower): () => void {
  let shared = open.get(address)
  if (!shared) {
    shared = {
      followers: new Set(),
      source: null,
      connected: false,
      heardAt: Number.NEGATIVE_INFINITY,
      again: undefined,
      names: new Set(),
    }
    open.set(address, shared)
    if (open.size === 1) document.addEventListener('visibilitychange', onVisibility)
  }
  const joined = shared
  joined.followers.add(follower)
  if (!joined.source && isSeen()) connect(address, joined)
  else for (const name of Object.keys(follower.events)) hear(joined, name)
  if (joined.connected) {
    follower.onState(true)
    if (performance.now() - joined.heardAt < recentMs) follower.onBack()
  }
  return () => {
    joined.followers.delete(follower)
    if (joined.followers.size) return
    disconnect(joined)
    open.delete(address)
    if (!open.size) document.removeEventListener('visibilitychange', onVisibility)
  }
}

/** Begins anew, as somebody else or somewhere else: what a stream is of stands in cookies as well. */
export function reconnectEvents(address: string): void {
  const shared = open.get(address)
  if (!shared?.source) return
  disconnect(shared)
  connect(address, shared)
}

const isSeen = () => document.visibilityState === 'visible'

function onVisibility() {
  for (const [address, shared] of open) {
    if (!isSeen()) disconnect(shared)
    else if (!shared.source) connect(address, shared)
  }
}

function connect(address: string, shared: Shared) {
  clearTimeout(shared.again)
  const source = new EventSource(address)
  shared.source = source
  shared.names.clear()
  for (const follower of shared.followers) for (const name of Object.keys(follower.events)) hear(shared, name)
  source.addEventListener('open', () => {
    say(shared, true)
    for (const follower of [...shared.followers]) follower.onBack()
  })
  source.addEventListener('error', () => {
    say(shared, false)
    if (source.readyState !== EventSource.CLOSED || shared.source !== source) return
    shared.source = null
    shared.again = setTimeout(() => {
      if (shared.followers.size && isSeen() && !shared.source) connect(address, shared)
    }, againMs)
    for (const follower of [...shared.followers]) follower.onRefused?.()
  })
}

function disconnect(shared: Shared) {
  clearTimeout(shared.again)
  shared.source?.close()
  shared.source = null
  say(shared, false)
}

function say(shared: Shared, connected: boolean) {
  shared.connected = connected
  for (const follower of [...shared.followers]) follower.onState(connected)
}

function hear(shared: Shared, name: string) {
  if (!shared.source || shared.names.has(name)) return
  shared.names.add(name)
  shared.source.addEventListener(name, (event) => {
    shared.heardAt = performance.now()
    const data: unknown = JSON.parse((event as MessageEvent<string>).data)
    for (const follower of [...shared.followers]) follower.events[name]?.(data)
  })
}
