import { type Fields, isFields, oneOf, Refused } from './refused.ts'

const toolName = /^[a-zA-Z0-9_-]{1,64}$/
const customFields = [
  'allowed_callers',
  'cache_control',
  'defer_loading',
  'description',
  'eager_input_streaming',
  'input_examples',
  'input_schema',
  'name',
  'strict',
  'type',
]
/** Tools of the API itself: their kinds, and the name each must have. */
const serverTools: readonly [kind: RegExp, name: string | null][] = [
  [/^web_search_(20250305|20260209|20260318)$/, 'web_search'],
  [/^web_fetch_(20250910|20260209|20260309|20260318)$/, 'web_fetch'],
  [/^code_execution_(20250522|20250825|20260120|20260521)$/, 'code_execution'],
  [/^tool_search_tool_(bm25|regex)_20251119$/, null],
  [/^memory_20250818$/, 'memory'],
  [/^bash_20250124$/, 'bash'],
  [/^text_editor_(20250124|20250429|20250728)$/, null],
]

export function checkTools({ tools, tool_choice }: Fields): void {
  if (tools === undefined) {
    if (tool_choice !== undefined) throw new Refused('tool_choice may only be specified while providing tools')
    return
  }
  if (!Array.isArray(tools)) throw new Refused('tools: Input should be a valid list')
  const names = tools.map((tool, index) => checkTool(tool, index))
  if (new Set(names).size < names.length) throw new Refused('tools: Tool names must be unique.')
  if (tools.length && tools.every((tool) => tool.defer_loading))
    throw new Refused('At least one tool must have defer_loading=false.')
  if (tool_choice !== undefined) checkChoice(tool_choice, names)
}

function checkTool(tool: unknown, index: number): string {
  if (!isFields(tool)) throw new Refused(`tools.${index}: Input should be a valid dictionary`)
  if (tool.type !== undefined && tool.type !== null && tool.type !== 'custom') return checkServerTool(tool, index)
  const path = `tools.${index}.custom`
  for (const name of Object.keys(tool))
    if (!customFields.includes(name)) throw new Refused(`${path}.${name}: Extra inputs are not permitted`)
  if (typeof tool.name !== 'string') throw new Refused(`${path}.name: Field required`)
  if (!toolName.test(tool.name)) throw new Refused(`${path}.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`)
  if (!isFields(tool.input_schema)) throw new Refused(`${path}.input_schema: Field required`)
  if (tool.input_schema.type !== 'object') throw new Refused(`${path}.input_schema.type: Input should be 'object'`)
  return tool.name
}

function checkServerTool(tool: Fields, index: number): string {
  const known = serverTools.find(([kind]) => kind.test(String(tool.type)))
  if (!known)
    throw new Refused(
      `tools.${index}: Input tag '${tool.type}' found using 'type' does not match any of the expected tags`,
    )
  if (known[1] && tool.name !== known[1]) throw new Refused(`tools.${index}.name: Input should be '${known[1]}'`)
  if (tool.allowed_domains && tool.blocked_domains)
    throw new Refused(`tools.${index}: Only one of allowed_domains or blocked_domains can be specified`)
  return String(tool.name)
}

function checkChoice(choice: unknown, names: readonly string[]): void {
  if (!isFields(choice)) throw new Refused('tool_choice: Input should be a valid dictionary')
  oneOf(choice.type, ['auto', 'any', 'tool', 'none'], 'tool_choice.type')
  if (choice.type === 'tool' && !names.includes(String(choice.name)))
    throw new Refused(`Tool '${choice.name}' not found in provided tools`)
}
