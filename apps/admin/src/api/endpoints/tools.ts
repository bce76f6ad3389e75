// The registry of tools: the first two endpoints of the iofold document, and what else is known of a tool.
import type { RegisteredTool } from '@quartermaster/db'
import { z } from 'zod'
import { data } from '../../data.ts'
import { runtime } from '../../runtime.ts'
import { endpoint } from '../endpoint.ts'
import type { Caller } from '../require-caller.ts'
import { idShape, iso, nextShape, notFound, rowsShape, timeShape } from '../shapes.ts'

const toolFields = {
  id: z.string().describe('Its canonical name, as file.read; where it was asked for by an alias, that alias.'),
  name: z.string().describe('For people.'),
  description: z.string().describe('What the model reads.'),
  parameters_schema: z.string().describe('JSON Schema of its arguments, as text.'),
  handler_key: z.string().describe('Always its canonical name.'),
  category: z.string(),
  created_at: timeShape,
} as const

export const toolShape = z.strictObject(toolFields).meta({ id: 'Tool' })

export const toolIdShape = idShape.describe('An id or an alias: file.read, execute_python, mcp:github:search.')

/** `asked`: an answer calls the tool what the request called it. */
export const renderTool = (tool: RegisteredTool, asked = tool.id): z.input<typeof toolShape> => ({
  id: asked,
  name: tool.title,
  description: tool.description,
  parameters_schema: tool.parametersSchema,
  handler_key: tool.name,
  category: tool.category,
  created_at: iso(tool.createdAt),
})

const access = { area: 'Tools', role: 'viewer', scope: 'tools' } as const

export const listTools = endpoint({
  ...access,
  method: 'GET',
  path: '/api/tools',
  summary: 'List all tools',
  description:
    'Every tool that the workspace has: the builtin ones and its own. As in the iofold document all of them come at once; with `limit` they come page by page, and the answer has `next`.',
  query: z.strictObject({
    category: z.string().max(100).optional().describe('Only tools of this category, as code or filesystem.'),
    limit: rowsShape.optional().describe('Rows of a page.'),
    after: z.string().max(300).optional().describe('The `next` of the page before; with `limit`.'),
  }),
  answer: {
    status: 200,
    description: 'The tools, in the order of their ids.',
    schema: z.strictObject({ tools: z.array(toolShape), next: nextShape.optional() }),
  },
  work: async ({ caller, query: { category, limit, after } }) => {
    const list = { workspaceId: caller.workspaceId, ...(category === undefined ? {} : { category }) }
    if (limit === undefined) return { tools: (await listEvery({ ...list, after: after ?? '' })).map(single) }
    const page = await data.listTools(runtime().db, { ...list, limit, after: after ?? '' })
    return { tools: page.tools.map(single), next: page.next }
  },
})

const single = (tool: RegisteredTool) => renderTool(tool)

async function listEvery(list: { workspaceId: string; category?: string; after: string }): Promise<RegisteredTool[]> {
  const tools: RegisteredTool[] = []
  for (let after: string | null = list.after; after !== null; ) {
    const page: Awaited<ReturnType<typeof data.listTools>> = await data.listTools(runtime().db, { ...list, after })
    tools.push(...page.tools)
    after = page.next
  }
  return tools
}

export async function findToolOf(caller: Caller, id: string): Promise<RegisteredTool> {
  const tool = await data.findTool(runtime().db, id, { workspaceId: caller.workspaceId })
  if (!tool) throw notFound('tool')
  return tool
}

export const getTool = endpoint({
  ...access,
  method: 'GET',
  path: '/api/tools/{id}',
  summary: 'Get a tool by its id',
  params: z.strictObject({ id: toolIdShape }),
  answer: { status: 200, description: 'The tool.', schema: toolShape },
  work: async ({ caller, params: { id } }) => renderTool(await findToolOf(caller, id), id),
})

const toolDetailShape = z
  .strictObject({
    ...toolFields,
    source: z.enum(['builtin', 'manifest', 'mcp']).nullable().describe('Where it comes from; null: nobody knows.'),
    effect: z.enum(['read', 'write', 'execute', 'send']).nullable(),
    hook: z.enum(['confirm', 'log', 'silent']).nullable().describe('How a new workspace runs it.'),
    version: z.string().nullable().describe('Digest of its whole definition.'),
    aliases: z.array(z.string()).describe('What other systems call it.'),
    groups: z.array(z.string()).describe('Groups of the policy, without `group:`.'),
    idempotent: z.boolean(),
    untrusted: z.boolean().describe('What it returns was written by strangers.'),
    required_secret_scopes: z.array(z.string()),
    config_schema: z
      .string()
      .nullable()
      .describe('JSON Schema of the settings of its own that an attachment may have.'),
    unavailable: z.enum(['gone', 'disabled']).nullable().describe('Null: it can be used.'),
  })
  .meta({ id: 'ToolDetail' })

export const getToolDetail = endpoint({
  ...access,
  method: 'GET',
  path: '/api/tools/{id}/detail',
  summary: 'Get all that is known of a tool',
  params: z.strictObject({ id: toolIdShape }),
  answer: {
    status: 200,
    description: 'The tool, with what the iofold document does not have.',
    schema: toolDetailShape,
  },
  work: async ({ caller, params: { id } }) => {
    const tool = await findToolOf(caller, id)
    const { source, effect, hook, version, aliases, groups, idempotent, untrusted, unavailable } = tool
    return {
      ...renderTool(tool, id),
      ...{ source, effect, hook, version, aliases, groups, idempotent, untrusted, unavailable },
      required_secret_scopes: tool.requiredSecretScopes,
      config_schema: tool.configSchema,
    }
  },
})
