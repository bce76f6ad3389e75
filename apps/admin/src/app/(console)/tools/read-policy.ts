// The policy of the workspace over the tools of the registry: which agents have a tool, and why not the others.
import type { PolicyRule, RegisteredTool, StoredPolicy } from '@quartermaster/db'
import type { AnyTool, Decision, Verdict } from '@quartermaster/tools'
import { data } from '../../../data.ts'
import { runtime } from '../../../runtime.ts'
import { toolKit } from '../../../tool-kit.ts'

export interface AgentStanding {
  id: string
  name: string
  /** Given to it by name, and not by the default set. */
  attached: boolean
  /** Whether there is such a tool for it, and why. */
  decision: Decision
  /** What becomes of a call before its arguments are known, where there is. */
  runs: Verdict
}

export interface WorkspaceTools {
  /** The workspace's own. */
  rules: readonly PolicyRule[]
  /** Whether a pattern of the policy means this tool: by name, alias, prefix or group. */
  isMeant(pattern: string, tool: RegisteredTool): boolean
  /** By canonical name, the agents of the workspace in the order of their names. */
  standings(toolName: string): AgentStanding[]
}

/** Null where the policy cannot be read: then every call is refused, and the page says so. */
export async function readWorkspaceTools(
  workspaceId: string,
  tools: readonly RegisteredTool[],
): Promise<WorkspaceTools | null> {
  const { db } = runtime()
  try {
    const [stored, fixed, agents] = await Promise.all([
      data.loadPolicy(db, workspaceId),
      data.readInstallationPolicy(db),
      readAgents(workspaceId),
    ])
    if (!stored) return null
    const installation = fixed ? toolKit.fromLynkrSettings(fixed.settings).rules : []
    const policy = new toolKit.Policy({ ...stored.config, rules: [...installation, ...stored.config.rules] })
    const byName = new Map(tools.map((tool) => [tool.name, describe(tool)]))
    const list = [...byName.values()]
    const source = { version: 1, list: () => list }
    const resolved = agents.map((agent) => {
      const { provider, autonomy } = stored.agents.get(agent.id) ?? {}
      const context = {
        agent: agent.id,
        attachments: agent.attached,
        ...(provider ? { provider } : {}),
        ...(autonomy ? { autonomy } : {}),
      }
      return { ...agent, context, decisions: policy.resolve(source, context) }
    })
    return {
      rules: stored.config.rules,
      isMeant: (pattern, tool) => isMeant(pattern, tool, stored.config.groups),
      standings: (toolName) =>
        resolved.flatMap(({ id, name, attached, context, decisions }) => {
          const decision = decisions.get(toolName)
          const tool = byName.get(toolName)
          if (!decision || !tool) return []
          const runs = policy.decide(tool, {}, context).verdict
          return [{ id, name, attached: attached?.includes(toolName) ?? false, decision, runs }]
        }),
    }
  } catch (error) {
    if (error instanceof data.Problem || error instanceof toolKit.PolicyConfigError) return null
    throw error
  }
}

function isMeant(pattern: string, tool: RegisteredTool, groups: StoredPolicy['config']['groups']): boolean {
  try {
    return toolKit.matchesTool(pattern, describe(tool), groups)
  } catch {
    return false // No pattern at all: the policy's own page says so.
  }
}

async function readAgents(workspaceId: string): Promise<{ id: string; name: string; attached: string[] | null }[]> {
  const { rows } = await runtime().db.pool.query(
    `SELECT a.id, a.name, (SELECT array_agg(t.handler_key) FROM agent_tools g JOIN tools t ON t.id = g.tool_id
       WHERE g.agent_id = a.id) AS attached
     FROM agents a WHERE a.workspace_id = $1 AND a.archived_at IS NULL ORDER BY a.name, a.id`,
    [workspaceId],
  )
  return rows
}

let builtin: ReadonlyMap<string, AnyTool> | undefined

/** As much of a tool as the policy looks at; of a builtin also what a call of it does. Nothing runs here. */
function describe(tool: RegisteredTool): AnyTool {
  builtin ??= new Map(toolKit.describeBuiltinTools().map((each) => [each.name, each]))
  return (tool.source === 'builtin' && builtin.get(tool.name)) || describeRow(tool)
}

const describeRow = (tool: RegisteredTool): AnyTool => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  category: tool.category,
  groups: tool.groups,
  inputSchema: true,
  effect: tool.effect ?? 'send',
  ...(tool.hook ? { hook: tool.hook } : {}),
  aliases: tool.aliases.map((name) => ({ name, system: 'flynn' })),
  execute: () => Promise.reject(new Error('tools do not run in the console')),
})
