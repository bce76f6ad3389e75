// The conversations of the caller's workspace, for `sessions.*`.

export interface SessionEntry {
  id: string
  title: string | null
  channel: string
  lastActivityAt: Date
  messages: number
}

export interface Sessions {
  /** The most recent first, those that the requester may see; `before` is the last id of the page before. */
  list(
    caller: { workspaceId: string; requesterId: string | null },
    page: { limit: number; before?: string },
  ): Promise<{ sessions: readonly SessionEntry[]; more: boolean }>
  /** Its messages and files are gone then; what was recorded of tool calls stays. */
  delete(
    caller: { workspaceId: string; requesterId: string | null; conversationId: string },
    id: string,
  ): Promise<{ ok: true } | { ok: false; problem: string }>
}
