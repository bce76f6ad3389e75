// Files of a conversation: what people sent, and what is sent to them.
import type { Media } from '../contract.ts'

export interface ChatFiles {
  /**
   * Puts a file into the chat, with the platform's own means; once, whatever is killed when. A sentence where it cannot
   * be sent (too large for the platform).
   */
  send(
    to: { workspaceId: string; conversationId: string; runId: string; toolCallId: string },
    file: Required<Media> & { caption?: string },
  ): Promise<{ ok: true } | { ok: false; problem: string }>
  /** A file that somebody sent in this conversation, by its name; the newest of that name. */
  find(conversationId: string, filename: string): Promise<Required<Media> | null>
}
