import { listChoosableAgents } from '@quartermaster/db'
import type { Decision } from '@quartermaster/tools'
import type { Command } from './command.ts'

/** How many tools of each kind are named; the console has them all. */
const mostNamed = 40
const mostReasons = 15

export const toolsCommand: Command = {
  about: 'says what I may do here, and why not the rest.',
  async run({ db, registry, composeCaller, consoleUrl }, given) {
    const agent = (await listChoosableAgents(db, given)).find(({ chosen }) => chosen)
    if (!agent) return { markdown: 'No agent answers here.' }
    const { caller, policy } = await composeCaller({
      workspaceId: given.workspaceId,
      agentId: agent.id,
      requestedBy: given.memberId,
      // There is no run: what an agent may do depends on none.
      conversationId: '',
      runId: '',
      trigger: 'message',
    })
    // As a call without arguments would be decided: whether a tool is there, and whether it asks.
    const decided = registry
      .list()
      .map((tool): [string, Decision] => [tool.name, policy.decide(tool, {}, caller.policy)])
      .sort(([a], [b]) => a.localeCompare(b))
    const of = (verdict: Decision['verdict']) => decided.filter(([, decision]) => decision.verdict === verdict)
    const names = (rows: [string, Decision][]) =>
      listed(
        rows.map(([name]) => `\`${name}\``),
        mostNamed,
        ', ',
      )
    const denied = of('deny').map(
      ([name, { trail }]) =>
        `- \`${name}\`: ${trail.findLast(({ verdict }) => verdict === 'deny')?.reason ?? 'not allowed here'}`,
    )
    const lines = [
      `**${agent.name}** may use here:`,
      of('allow').length ? `Without asking: ${names(of('allow'))}` : '',
      of('ask').length ? `After somebody has approved: ${names(of('ask'))}` : '',
      decided.length === denied.length ? 'Nothing at all.' : '',
      denied.length ? `It may not use:\n${listed(denied, mostReasons, '\n')}` : '',
      'What a call asks for can make it stricter: a certain command, a certain path.',
      consoleUrl ? `More is in the console: ${consoleUrl}` : '',
    ]
    return { markdown: lines.filter(Boolean).join('\n\n') }
  },
}

function listed(items: readonly string[], most: number, between: string): string {
  if (items.length <= most) return items.join(between)
  return `${items.slice(0, most).join(between)}${between}… and ${items.length - most} more`
}
