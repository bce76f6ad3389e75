// The stream in which an answer was shown becomes the answer; before a card is posted, whatever streams is ended. All of
// this can be done again after a crash at any point: the note says which message it is, and changing it twice is
// changing it once.
import type { ClaimedDelivery } from '@quartermaster/db'
import type { WebClient } from '@slack/web-api'
import type { SlackConnection } from '../connect/slack-connection.ts'
import { limits } from '../limits.ts'
import { workMetadata } from '../present/live-message.ts'
import type { LivePresenters } from '../present/live-presenters.ts'
import { dropStreamNotes, noteFound, type StreamNote, takeStreams } from '../present/stream-note.ts'
import { findUnmarked } from './find-sent.ts'
import { refusalOf } from './refusal.ts'
import type { SlackPlace } from './slack-place.ts'

export interface Sending {
  slack: SlackConnection
  presenters: LivePresenters
  client: WebClient
  place: SlackPlace
  delivery: ClaimedDelivery
}

export interface TakenStream {
  ts: string
  tasks: StreamNote['tasks']
  /** The text that it shows, where that is certain and more can be added to it; null: it has to be written anew. */
  shown: string | null
  /** Ends the stream, so that the message can be changed. False: the message is gone. */
  end(): Promise<boolean>
  /** The message is what it is to be. */
  done(): Promise<void>
}

/** The message that shows the text of this step, to become the answer; null where there is none (any more). */
export async function takeStream(sending: Sending, step: number): Promise<TakenStream | null> {
  const { delivery } = sending
  if (!delivery.runId) return null
  const { notes, shown } = await take(sending, delivery.runId, step)
  const [first, ...others] = await findAll(sending, notes)
  const done = () => drop(sending, notes)
  for (const other of others) await endStream(sending, other)
  if (!first) {
    await done()
    return null
  }
  // Tools that were shown a while ago stay where they are: nobody would notice an answer that appears up there.
  if (first.step === null && Date.now() - first.since > limits.freshMs) {
    await endStream(sending, first)
    await done()
    return null
  }
  const { ts, tasks, key, wasLost } = first
  return {
    ts,
    tasks,
    shown: wasLost ? null : (shown.get(key) ?? null),
    end: () => endStream(sending, first),
    done,
  }
}

/** Ends what still streams, as what it shows. A text that waits for its delivery is not touched. */
export async function endStreams(sending: Sending): Promise<void> {
  const { notes } = await take(sending, null, null)
  for (const note of await findAll(sending, notes)) await endStream(sending, note)
  await drop(sending, notes)
}

async function take(
  sending: Sending,
  runId: string | null,
  step: number | null,
): Promise<{ notes: StreamNote[]; shown: Map<string, string> }> {
  const { slack, presenters, delivery } = sending
  const { conversationId, deliveryId } = delivery
  const notes = await takeStreams(slack.chat.db, { conversationId, deliveryId, runId, step })
  const keys = notes.map(({ key }) => key)
  return { notes, shown: keys.length ? await presenters.letGo(conversationId, keys) : new Map() }
}

interface FoundStream extends StreamNote {
  ts: string
  /** Nobody had noted which message it is. */
  wasLost: boolean
}

/** A note without a ts is of a process that died while Slack was about to tell it, or is about to learn it just now. */
async function findAll(sending: Sending, notes: readonly StreamNote[]): Promise<FoundStream[]> {
  const found: FoundStream[] = []
  for (const note of notes) {
    const ts = note.ts ?? (await findLost(sending, note))
    if (ts && !found.some((other) => other.ts === ts)) found.push({ ...note, ts, wasLost: note.ts === null })
  }
  return found
}

async function findLost(sending: Sending, { key, since }: StreamNote): Promise<string | null> {
  const { slack, client, place, delivery } = sending
  const team = await slack.teamOf(delivery.channelId)
  const ts = await findUnmarked({ client, place, team }, new Date(since))
  if (ts) await noteFound(slack.chat.db, delivery.conversationId, key, ts)
  return ts
}

/** False: the message is gone. */
async function endStream({ client, place }: Sending, { ts, wasLost }: FoundStream): Promise<boolean> {
  const { channel } = place
  try {
    await client.chat.stopStream({ channel, ts, metadata: workMetadata })
    return true
  } catch (error) {
    const code = refusalOf(error)
    if (code === 'message_not_found') return false
    if (code !== 'message_not_in_streaming_state') throw error
    // Of one that was lost, its process may live after all, and has ended it to delete it.
    if (!wasLost) return true
    await client.chat.delete({ channel, ts }).catch((cause: unknown) => {
      if (refusalOf(cause) !== 'message_not_found') throw cause
    })
    return false
  }
}

const drop = ({ slack, delivery }: Sending, notes: readonly StreamNote[]) =>
  dropStreamNotes(
    slack.chat.db,
    delivery.conversationId,
    notes.map(({ key }) => key),
  )
