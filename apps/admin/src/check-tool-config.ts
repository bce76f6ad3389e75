import type { RegisteredTool } from '@quartermaster/db'
import type { AnyTool } from '@quartermaster/tools'
import { toolKit } from './tool-kit.ts'

type Schemas = Pick<RegisteredTool, 'name' | 'parametersSchema' | 'configSchema'>

/**
 * For attachTool: what is wrong with a configuration, one sentence for each mistake. It is checked by the schemas that
 * the registry has, so that it is the same for builtin tools and for those that a workspace brought.
 */
export function checkToolConfig(tool: Schemas | null): (name: string, config: object) => readonly string[] {
  return (name, config) => {
    if (tool?.name !== name) return [`${name} has changed just now. Try again.`]
    const described = {
      name,
      inputSchema: parse(tool.parametersSchema) ?? {},
      ...(tool.configSchema === null ? {} : { configSchema: parse(tool.configSchema) }),
    }
    const parsed = toolKit.parseConfig(described as AnyTool, config)
    return parsed.ok ? [] : parsed.errors
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // Somebody wrote the row by hand; a tool without a schema takes no settings.
  }
}
