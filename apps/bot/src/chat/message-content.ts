import type { ChatReference } from './chat-services.ts'

/** Something on the platform that a run fetches before the model is asked (run/resolve-references.ts). */
export interface ReferenceBlock {
  type: 'reference'
  reference: ChatReference
}

/** What somebody said as it stands in the transcript: what they point to, then their words, which are about it. */
export function messageContent(text: string, references: readonly ChatReference[]): unknown[] {
  const words = text.trim() ? [{ type: 'text', text }] : []
  // What was said before comes before what is said now.
  const threads = references.filter(({ kind }) => kind === 'thread').map(toBlock)
  const files = references.filter(({ kind }) => kind === 'file').map(toBlock)
  return [...threads, ...files, ...words]
}

const toBlock = (reference: ChatReference): ReferenceBlock => ({ type: 'reference', reference })
