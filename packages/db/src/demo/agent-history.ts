// How an agent of Northwind came to be what it is: what each of its versions was, and what somebody has in a draft.
import type { AgentSeed } from './northwind.ts'

export interface AgentState {
  model: string
  instructions: string
  autonomy: AgentSeed['autonomy']
  deny: string[]
  perDayUsd: number
  attachments: { toolId: string; config: Record<string, unknown> | null }[]
}

/** Version `index` of the agent: the first ones said less, had fewer tools, and were watched more closely. */
export function makeState(agent: AgentSeed, index: number, idOf: (tool: string) => string): AgentState {
  const missing = agent.notes.length - 1 - index
  const sentences = agent.instructions.split(/(?<=\.) /)
  const tools = agent.tools.slice(0, Math.max(3, agent.tools.length - missing * 2))
  return {
    model: missing > 1 ? 'balanced' : agent.model,
    instructions: sentences.slice(0, Math.max(1, sentences.length - missing)).join(' '),
    autonomy: missing > 0 ? 'supervised' : agent.autonomy,
    deny: agent.slug === 'forge' && missing === 0 ? ['http.request'] : [],
    perDayUsd: Math.round(agent.perDayUsd / (missing + 1)),
    attachments: tools
      .map((name) => ({ toolId: idOf(name), config: agent.configs?.[name] ?? null }))
      .sort((a, b) => (a.toolId < b.toolId ? -1 : 1)),
  }
}

export function makeDraft(
  current: AgentState,
  draft: NonNullable<AgentSeed['draft']>,
  idOf: (tool: string) => string,
): Partial<AgentState> {
  const detached = draft.detach.map(idOf)
  return {
    instructions: `${current.instructions}\n\n${draft.instructions}`,
    deny: draft.deny,
    attachments: current.attachments.filter(({ toolId }) => !detached.includes(toolId)),
  }
}
