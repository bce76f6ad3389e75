// What a message points to on its platform (files, the thread before it) is fetched when a run reads it, before the model
// is asked: not when it was received, because the platform waits for its acknowledgement. What comes of it takes the
// place of the reference in the transcript, once; a crash on the way only means that it is fetched again.
import { setTimeout as sleep } from 'node:timers/promises'
import { fileEventOf, Problem, replaceReferences, type TranscriptMessage } from '@quartermaster/db'
import type { Fetched } from '../channels/channel.ts'
import type { ChatReference } from '../chat/chat-services.ts'
import type { ReferenceBlock } from '../chat/message-content.ts'
import { limits } from '../limits.ts'
import { describeThread } from './describe-thread.ts'
import { cleanName, readReferencedFile } from './read-referenced-file.ts'
import { kept, LetGo, type RunInHand, type RunServices } from './run-services.ts'

/** Changes the messages of the transcript in place. Throws LetGo when the claim is lost or the process stops. */
export async function resolveReferences(
  services: RunServices,
  held: RunInHand,
  transcript: TranscriptMessage[],
): Promise<void> {
  for (const message of transcript) {
    if (message.role !== 'user' || !hasReference(message.content)) continue
    held.presenter.status('Reading what was sent.')
    const content = await resolveContent(services, held, message)
    if (held.signal.aborted) throw new LetGo(String(held.signal.reason))
    if (held.leaving.aborted) throw new LetGo('the process stops')
    // Where somebody took the message back meanwhile, what stands there now counts.
    message.content = kept(
      await replaceReferences(services.db, held.run, { number: message.number, content }),
      held.run,
    )
  }
}

export const hasReference = (content: unknown): boolean => Array.isArray(content) && content.some(isReference)

const isReference = (block: unknown): block is ReferenceBlock =>
  typeof block === 'object' && block !== null && (block as { type?: unknown }).type === 'reference'

async function resolveContent(services: RunServices, held: RunInHand, message: TranscriptMessage): Promise<unknown[]> {
  const content: unknown[] = []
  let count = 0
  for (const block of message.content as unknown[]) {
    if (!isReference(block)) content.push(block)
    else if (++count > limits.referencesOfMessage)
      content.push(
        line(`${nameOf(block.reference)} was not read: a message may bring ${limits.referencesOfMessage} files.`),
      )
    else content.push(...(await resolve(services, held, message.number, block.reference)))
  }
  return content
}

async function resolve(
  services: RunServices,
  held: RunInHand,
  number: number,
  reference: ChatReference,
): Promise<unknown[]> {
  try {
    if (reference?.kind === 'file' && reference.size !== null && reference.size > limits.referenceBytes)
      throw new Problem(`It is larger than ${limits.referenceBytes / 1024 / 1024} MB.`, 'Send a smaller one.')
    const fetched = await fetchPatiently(services, held, reference)
    if (fetched.kind === 'thread') return describeThread(fetched.messages)
    const { conversationId } = held.run
    const signal = AbortSignal.any([held.signal, held.leaving])
    return await readReferencedFile(services, fetched, { conversationId, eventId: fileEventOf(number), signal })
  } catch (error) {
    if (held.signal.aborted || held.leaving.aborted) return []
    services.log.info({ error, runId: held.run.runId }, 'something that was sent could not be read')
    const why = error instanceof Problem ? error.message : 'The platform did not give it to me.'
    return [line(`${nameOf(reference)} could not be read. ${why}`)]
  }
}

/** A platform may be out of breath for a moment; what it refuses in words, it will refuse again. */
async function fetchPatiently(services: RunServices, held: RunInHand, reference: ChatReference): Promise<Fetched> {
  const { channelId, channelKind } = held.context.place
  const inTime = AbortSignal.timeout(limits.referenceMs)
  const signal = AbortSignal.any([held.signal, held.leaving, inTime])
  const late = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(new Problem('It took too long to fetch it.', 'Send it again.')), {
      once: true,
    }),
  )
  late.catch(() => {}) // Heard below, unless it comes after everything is over.
  for (let attempt = 1; ; attempt++) {
    try {
      return await Promise.race([late, services.fetchReference(channelKind, reference, { channelId }, signal)])
    } catch (error) {
      if (error instanceof Problem || signal.aborted || attempt === 3) throw error
      await Promise.race([late, sleep(500 * attempt)])
    }
  }
}

const nameOf = (reference: ChatReference): string =>
  reference?.kind === 'file' ? `The file “${cleanName(reference.name)}”` : 'What was said in this thread before'
const line = (text: string) => ({ type: 'text', text: `[${text}]` })
