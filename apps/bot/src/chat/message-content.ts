import type { ChatReference } from './chat-services.ts'

/** Something on the platform that a run fetches before the model is asked (run/resolve-references.ts). */
export interface ReferenceBlock {
  type: 'reference'
  reference: ChatReference
}

/** What somebody said as it stands in the transcript: their words, then what they point to. */
export function messageContent(text: string, references: readonly ChatReference[]): unknown[] {
  const words = text.trim() ? [{ type: 'text', text }] : []
  // What was said before comes before what is said now.
  const threads = references.filter(({ kind }) => kind === 'thread').map(toBlock)
  const files = references.filter(({ kind }) => kind === 'file').map(toBlock)
  return [...threads, ...words, ...files]
}

const toBlock = (reference: ChatReference): ReferenceBlock => ({ type: 'reference', reference })
