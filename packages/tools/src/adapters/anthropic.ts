// Tools as the Messages API takes them. The order depends on nothing but the names, and each definition on nothing but
// its tool: the prompt cache starts with the tools, and one byte of difference makes it worthless.
import type { AnyTool, JSONSchema } from '../contract.ts'
import { toApiName } from '../names.ts'
import type { ToolLookup } from '../tool-lookup.ts'
import { strictCostOf, strictLimits } from './strict-schema.ts'

export interface AnthropicTool {
  name: string
  description: string
  input_schema: { type: 'object'; [keyword: string]: unknown }
  eager_input_streaming?: true
  strict?: true
  defer_loading?: true
  cache_control?: { type: 'ephemeral'; ttl?: '5m' | '1h' }
}

/** Finds deferred tools by their names, descriptions and arguments; it runs at Anthropic's. */
export interface AnthropicToolSearch {
  type: 'tool_search_tool_bm25_20251119'
  name: 'tool_search_tool_bm25'
  cache_control?: AnthropicTool['cache_control']
}

export interface AnthropicToolsOptions {
  /** Off where the provider at the base URL does not know it. */
  strict?: boolean
  /** How long the tools stay in the prompt cache; false: no breakpoint. */
  cache?: '5m' | '1h' | false
  /**
   * With more tools than this, only those in `keep` are in the prompt and the model searches for the others. Past 30 to
   * 50 tools a model chooses worse, and their definitions cost more than the conversation.
   */
  deferAbove?: number
  /** Canonical names that are always loaded. */
  keep?: readonly string[]
}

export interface AnthropicTools {
  tools: (AnthropicTool | AnthropicToolSearch)[]
  /** What the API would refuse, and with it the whole request. */
  leftOut: { name: string; reason: string }[]
}

/** `allowed`: canonical names, as the policy resolved them. A name that is not registered is left out. */
export function toAnthropicTools(
  registry: ToolLookup,
  allowed: Iterable<string>,
  options: AnthropicToolsOptions = {},
): AnthropicTools {
  const { strict = true, cache = '5m', deferAbove = Number.POSITIVE_INFINITY, keep = [] } = options
  const leftOut: AnthropicTools['leftOut'] = []
  const found: AnyTool[] = []
  for (const name of new Set(allowed)) {
    const tool = registry.get(name)
    const reason = tool ? problemForApi(tool.inputSchema) : 'There is no such tool.'
    if (tool && reason === null) found.push(tool)
    else leftOut.push({ name, reason: reason as string })
  }
  found.sort(byName)

  const kept = new Set(found.length > deferAbove ? keep : found.map((tool) => tool.name))
  const loaded = found.filter((tool) => kept.has(tool.name)).map(toDefinition)
  const deferred = found.filter((tool) => !kept.has(tool.name)).map(toDefinition)
  if (strict) markStrict(loaded)
  for (const definition of deferred) definition.defer_loading = true
  const search: AnthropicToolSearch[] =
    deferred.length > 0 ? [{ type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }] : []
  // On the last that is loaded: a deferred one is not in the prompt, and may not have a breakpoint.
  const last = loaded.at(-1) ?? search.at(-1)
  if (last && cache) last.cache_control = cache === '5m' ? { type: 'ephemeral' } : { type: 'ephemeral', ttl: cache }
  return { tools: [...search, ...loaded, ...deferred], leftOut }
}

/** By code unit, so that no locale of some machine sorts them differently. */
const byName = (a: AnyTool, b: AnyTool): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

function toDefinition(tool: AnyTool): AnthropicTool {
  const { schema, note } = withoutTopLevelChoices(tool.inputSchema as { type: 'object' })
  const definition: AnthropicTool = {
    name: toApiName(tool.name),
    description: tool.description + note,
    input_schema: schema,
  }
  if (tool.eagerInputStreaming) definition.eager_input_streaming = true
  return definition
}

/** The API takes none of them at the top. The arguments are still checked against all of it before the tool runs. */
function withoutTopLevelChoices(schema: { type: 'object'; [keyword: string]: unknown }) {
  const { anyOf, oneOf, allOf, ...rest } = schema
  if (!anyOf && !oneOf && !allOf) return { schema, note: '' }
  return {
    schema: rest as typeof schema,
    note: `\n\nThe arguments must also fit: ${JSON.stringify({ anyOf, oneOf, allOf })}`,
  }
}

/** In the order of the list until a share is used up, so that the same tools are strict in every request. */
function markStrict(definitions: readonly AnthropicTool[]): void {
  const left: { tools: number; optional: number; unions: number } = { ...strictLimits }
  for (const definition of definitions) {
    const cost = strictCostOf(definition.input_schema)
    if (cost === null || left.tools === 0 || cost.optional > left.optional || cost.unions > left.unions) continue
    left.tools -= 1
    left.optional -= cost.optional
    left.unions -= cost.unions
    definition.strict = true
  }
}

function problemForApi(schema: JSONSchema): string | null {
  const properties = typeof schema === 'object' ? Object.keys((schema.properties ?? {}) as object) : []
  const wrong = properties.find((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name))
  return wrong === undefined ? null : `The API takes no argument named ${JSON.stringify(wrong.slice(0, 80))}.`
}
