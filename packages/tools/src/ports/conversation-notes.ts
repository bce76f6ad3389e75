// Small things that a tool keeps between its calls in one conversation (the shell's directory), on whatever machine the
// next call runs.

export interface ConversationNotes {
  read(conversationId: string, name: string): Promise<unknown>
  /** Over what was there; null forgets it. */
  write(conversationId: string, name: string, value: unknown): Promise<void>
}
