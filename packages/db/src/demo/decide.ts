// What Northwind's policy says to a call, with the trail of reasons. It follows the rules and hooks of northwind.ts.
import type { Approvers } from '../approvers.ts'
import { type AgentSeed, rules, type ToolSeed } from './northwind.ts'
import type { Call } from './story.ts'

export interface Reason {
  layer: 'attachment' | 'profile' | 'rule' | 'hook' | 'autonomy'
  verdict: 'allow' | 'ask' | 'deny'
  reason: string
}

export interface Decided {
  decision: 'allow' | 'ask' | 'deny'
  trail: Reason[]
  approvers: Approvers
}

export function decide(agent: AgentSeed, tool: ToolSeed, call: Call): Decided {
  const trail: Reason[] = [
    { layer: 'attachment', verdict: 'allow', reason: `${tool.name} is attached to ${agent.name}.` },
    { layer: 'profile', verdict: 'allow', reason: `The profile ${agent.profile} has it.` },
  ]
  const rule = rules.find(
    (candidate) =>
      candidate.pattern === tool.name &&
      candidate.conditions.every(({ path, glob }) => matchesPattern(String(call.args[path] ?? ''), glob)),
  )
  if (rule) {
    trail.push({ layer: 'rule', verdict: rule.decision, reason: `Rule “${rule.name}”: ${rule.note}` })
    return { decision: rule.decision, trail, approvers: rule.approvers ?? {} }
  }
  const reads = call.args.method === 'GET' || call.args.action === 'list' || call.args.action === 'read'
  const hook = reads ? 'silent' : (tool.hook ?? 'silent')
  const asks = hook === 'confirm' && agent.autonomy !== 'autonomous'
  trail.push({ layer: 'hook', verdict: asks ? 'ask' : 'allow', reason: `The hook of ${tool.name} is ${hook}.` })
  if (hook === 'confirm')
    trail.push({ layer: 'autonomy', verdict: asks ? 'ask' : 'allow', reason: `${agent.name} is ${agent.autonomy}.` })
  return { decision: asks ? 'ask' : 'allow', trail, approvers: asks ? { roles: ['approver'] } : {} }
}

/** `*` stands for anything; nothing else is special. */
function matchesPattern(text: string, pattern: string): boolean {
  const parts = pattern.split('*')
  let at = 0
  for (const [index, part] of parts.entries()) {
    const found = text.indexOf(part, at)
    if (found < 0 || (index === 0 && found !== 0)) return false
    at = found + part.length
  }
  return parts.at(-1) === '' || at === text.length
}

/** What the card says about a call that asks. */
export function describeCall(call: Call): { title: string; body: string } {
  const args = call.args as Record<string, string>
  switch (call.tool) {
    case 'rollout.restart':
      return {
        title: `Restart ${args.deployment} in ${args.namespace}`,
        body: 'All its pods are replaced, one after the other. Requests are served meanwhile.',
      }
    case 'mcp:helpdesk:reply':
      return { title: `Reply to the customer in ticket ${args.id}`, body: args.text ?? '' }
    case 'mcp:github:create_pull_request':
      return { title: `Open a pull request in ${args.repo}`, body: `“${args.title}” from ${args.branch}` }
    case 'git.commit':
      return { title: 'Commit the change', body: args.message ?? '' }
    case 'google.calendar':
      return { title: `Invite to “${args.title}”`, body: `${args.start}, ${[call.args.attendees].flat().join(', ')}` }
    case 'http.request':
      return { title: `${args.method} ${args.url}`, body: args.body ?? '' }
    case 'shell.exec':
      return { title: 'Run a command', body: args.command ?? '' }
    case 'ask_user':
      return { title: args.question ?? '', body: '' }
    default:
      return { title: `Use ${call.tool}`, body: JSON.stringify(call.args) }
  }
}
