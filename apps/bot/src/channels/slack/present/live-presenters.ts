// Who of this process shows work in which conversation, so that a delivery of the same process can ask them to let go
// of a message before it changes it. Between processes the note alone decides.

export interface LivePresenter {
  /** Resolves when nothing of it is under way, with the text of those streams of which it knows what they show. */
  letGo(keys: readonly string[]): Promise<Map<string, string>>
}

export interface LivePresenters {
  /** Returns what takes it out again. */
  add(conversationId: string, presenter: LivePresenter): () => void
  letGo(conversationId: string, keys: readonly string[]): Promise<Map<string, string>>
}

export function createLivePresenters(): LivePresenters {
  const presenters = new Map<string, Set<LivePresenter>>()
  return {
    add(conversationId, presenter) {
      const here = presenters.get(conversationId) ?? new Set()
      presenters.set(conversationId, here.add(presenter))
      return () => {
        here.delete(presenter)
        if (!here.size && presenters.get(conversationId) === here) presenters.delete(conversationId)
      }
    },
    async letGo(conversationId, keys) {
      const here = [...(presenters.get(conversationId) ?? [])]
      const shown = await Promise.all(here.map((presenter) => presenter.letGo(keys)))
      return new Map(shown.flatMap((texts) => [...texts]))
    },
  }
}
