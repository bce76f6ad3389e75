// What agents remember from one conversation to the next, for `memory.*`: notes in namespaces, an agent's own or shared
// by the agents of a workspace. Whoever implements it keeps the limits, never lets one owner see another's notes, and
// knows with each note what strangers had written in the conversation that it was noted in.

export interface MemoryOwner {
  workspaceId: string
  /** Null: the workspace's, which all its agents share. */
  agentId: string | null
}

export interface Memory {
  id: string
  namespace: string
  content: string
  createdAt: Date
  /** Where strangers' content came from that stood in its conversation when it was noted. */
  taint: readonly string[]
}

export interface MemoryProblem {
  ok: false
  problem: string
}

export interface Memories {
  /** The newest of a namespace, oldest first, and what namespaces are under it. */
  read(
    owner: MemoryOwner,
    namespace: string,
  ): Promise<{ memories: readonly Memory[]; more: boolean; nested: readonly string[] }>
  /** `append` skips what is there already; `replace` forgets what was there before. `noted` is false where it skipped. */
  write(
    owner: MemoryOwner,
    note: { namespace: string; content: string; mode: 'append' | 'replace'; conversationId: string },
  ): Promise<{ ok: true; noted: boolean; forgotten: number } | MemoryProblem>
  /** By words, the best first; a namespace includes those under it. */
  search(owner: MemoryOwner, search: { query: string; namespace?: string; limit: number }): Promise<readonly Memory[]>
}
