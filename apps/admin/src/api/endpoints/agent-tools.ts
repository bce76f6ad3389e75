// An agent's tools: the last three endpoints of the iofold document.
import type { Attachment, AttachResult } from '@quartermaster/db'
import { z } from 'zod'
import { checkToolConfig } from '../../check-tool-config.ts'
import { data } from '../../data.ts'
import { runtime } from '../../runtime.ts'
import { ApiError } from '../api-error.ts'
import { endpoint } from '../endpoint.ts'
import { idShape, notFound } from '../shapes.ts'
import { renderTool, toolIdShape, toolShape } from './tools.ts'

const configShape = z.record(z.string(), z.unknown())

const attachedToolShape = toolShape
  .extend({ config: configShape.nullable().describe('Its settings for this agent; null: none.') })
  .meta({ id: 'AttachedTool' })

const renderAttachment = (attachment: Attachment, asked?: string): z.input<typeof attachedToolShape> => ({
  ...renderTool(attachment, asked),
  config: attachment.config === null ? null : { ...attachment.config },
})

const access = { area: 'Agents', scope: 'agents' } as const
const agentParams = { agentId: idShape.describe('The agent’s id.') }

export const listAgentTools = endpoint({
  ...access,
  role: 'viewer',
  method: 'GET',
  path: '/api/agents/{agentId}/tools',
  summary: 'Get an agent’s tools',
  description: 'What is attached to the agent. An agent to which nothing is attached works with the default set.',
  params: z.strictObject(agentParams),
  answer: {
    status: 200,
    description: 'The attached tools, in the order of their ids.',
    schema: z.strictObject({ tools: z.array(attachedToolShape) }),
  },
  work: async ({ caller, params: { agentId } }) => {
    const attached = await data.listAttachments(runtime().db, { workspaceId: caller.workspaceId, agentId })
    if (!attached) throw notFound('agent')
    return { tools: attached.map((attachment) => renderAttachment(attachment)) }
  },
})

export const attachAgentTool = endpoint({
  ...access,
  role: 'admin',
  method: 'POST',
  path: '/api/agents/{agentId}/tools',
  summary: 'Attach a tool to an agent',
  description:
    'With settings, where `config` gives some: `default_<argument>`, `max_<argument>`, `fixed_<argument>`, and those of the tool’s own `config_schema`.',
  params: z.strictObject(agentParams),
  body: z.strictObject({
    tool_id: toolIdShape,
    config: configShape.nullable().optional().describe('Settings of the tool for this agent.'),
  }),
  answer: { status: 201, description: 'The attached tool.', schema: attachedToolShape },
  errors: {
    VALIDATION_ERROR:
      'Missing or invalid `tool_id`, settings that the tool does not take, a tool that is switched off.',
    NOT_FOUND: 'Agent or tool not found.',
    ALREADY_EXISTS: 'The tool is attached to the agent already.',
  },
  work: async ({ caller, params: { agentId }, body }) => {
    const { workspaceId, actor } = caller
    const { db } = runtime()
    const tool = await data.findTool(db, body.tool_id, { workspaceId })
    const attached = await data.attachTool(db, {
      workspaceId,
      agentId,
      toolId: body.tool_id,
      config: body.config ?? null,
      actor,
      validate: checkToolConfig(tool),
    })
    if (!attached.ok) throw refusalOf(attached, body.tool_id)
    return renderAttachment(attached.attachment, body.tool_id)
  },
})

function refusalOf(refused: Extract<AttachResult, { ok: false }>, toolId: string): ApiError {
  switch (refused.reason) {
    case 'not_found':
      return notFound(refused.what)
    case 'already_attached':
      return new ApiError('ALREADY_EXISTS', `${toolId} is attached to this agent already.`)
    // 409 would tell a client of the iofold document that the agent has it.
    case 'unavailable':
      return new ApiError(
        'VALIDATION_ERROR',
        refused.why === 'disabled'
          ? `tool_id: ${toolId} is switched off.`
          : `tool_id: nothing that runs here has ${toolId} any more.`,
      )
    case 'invalid_config':
      return new ApiError(
        'VALIDATION_ERROR',
        `config: ${refused.problems[0]}`,
        refused.problems.map((message) => ({ path: 'config', message })),
      )
  }
}

export const detachAgentTool = endpoint({
  ...access,
  role: 'admin',
  method: 'DELETE',
  path: '/api/agents/{agentId}/tools/{toolId}',
  summary: 'Detach a tool from an agent',
  params: z.strictObject({ ...agentParams, toolId: toolIdShape }),
  answer: { status: 204, description: 'It is detached.' },
  errors: { NOT_FOUND: 'Agent not found, or tool not attached to it.' },
  work: async ({ caller, params: { agentId, toolId } }) => {
    const { workspaceId, actor } = caller
    const detached = await data.detachTool(runtime().db, { workspaceId, agentId, toolId, actor })
    if (!detached.ok)
      throw detached.what === 'agent'
        ? notFound('agent')
        : new ApiError('NOT_FOUND', 'This tool is not attached to the agent.')
  },
})
