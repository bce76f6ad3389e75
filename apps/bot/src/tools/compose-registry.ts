// The tools of this process: what the code has, and what the registry in the database says of it.
import type { ToolDefinition } from '@quartermaster/db'
import { type AnyTool, ToolRegistry, toolVersion } from '@quartermaster/tools'

export function composeRegistry(tools: readonly AnyTool[] = []): ToolRegistry {
  const registry = new ToolRegistry()
  registry.registerMany(tools)
  return registry
}

/** What syncTools writes for a tool. */
export function definitionOf(tool: AnyTool): ToolDefinition {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    category: tool.category,
    inputSchema: tool.inputSchema,
    ...(tool.configSchema === undefined ? {} : { configSchema: tool.configSchema }),
    effect: tool.effect,
    version: toolVersion(tool),
    aliases: [...new Set(tool.aliases?.map((alias) => alias.name))],
    // As the policy has it where neither the tool nor the workspace says.
    hook: tool.hook ?? (tool.effect === 'read' ? 'silent' : tool.effect === 'write' ? 'log' : 'confirm'),
    idempotent: tool.idempotent ?? false,
    untrusted: tool.untrusted ?? false,
    groups: tool.groups ?? [],
    requiredSecretScopes: tool.requiredSecretScopes ?? [],
  }
}
