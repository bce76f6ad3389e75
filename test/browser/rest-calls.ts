// Of every operation of the REST API a call that succeeds, for the tests that look at all of them alike. An operation
// that is not here fails rest-api.test.ts.
import { newId, type Role } from '@quartermaster/db'
import type { ConsoleUnderTest } from './console.ts'
import type { TenantIds } from './tenant-ids.ts'

export interface RestCall {
  path: string
  body?: unknown
  /** The answer has no end of its own: only its beginning is looked at. */
  stream?: true
}

type MakeCall = (ids: TenantIds, it: ConsoleUnderTest) => RestCall | Promise<RestCall>

export const restCalls: Record<string, MakeCall> = {
  'GET /api/tools': () => ({ path: '/api/tools' }),
  'GET /api/tools/{id}': ({ toolId }) => ({ path: `/api/tools/${toolId}` }),
  'GET /api/tools/{id}/detail': ({ toolId }) => ({ path: `/api/tools/${toolId}/detail` }),
  'GET /api/agents': () => ({ path: '/api/agents' }),
  'GET /api/agents/{agentId}': ({ agentId }) => ({ path: `/api/agents/${agentId}` }),
  'GET /api/agents/{agentId}/versions': ({ agentId }) => ({ path: `/api/agents/${agentId}/versions` }),
  'GET /api/agents/{agentId}/tools': ({ agentId }) => ({ path: `/api/agents/${agentId}/tools` }),
  'POST /api/agents/{agentId}/tools': async ({ agentId, toolId }, it) => {
    await it.db.pool.query('DELETE FROM agent_tools WHERE agent_id = $1 AND tool_id = $2', [agentId, toolId])
    return { path: `/api/agents/${agentId}/tools`, body: { tool_id: toolId, config: { default_limit: 20 } } }
  },
  'DELETE /api/agents/{agentId}/tools/{toolId}': async ({ agentId, toolId }, it) => {
    await it.db.pool.query('INSERT INTO agent_tools (agent_id, tool_id) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      agentId,
      toolId,
    ])
    return { path: `/api/agents/${agentId}/tools/${toolId}` }
  },
  'GET /api/runs': () => ({ path: '/api/runs' }),
  'GET /api/runs/{runId}': ({ runId }) => ({ path: `/api/runs/${runId}` }),
  'GET /api/runs/{runId}/events': ({ runId }) => ({ path: `/api/runs/${runId}/events` }),
  'GET /api/runs/{runId}/questions': ({ runId }) => ({ path: `/api/runs/${runId}/questions` }),
  'GET /api/runs/{runId}/files/{fileId}': ({ runId, fileId }) => ({ path: `/api/runs/${runId}/files/${fileId}` }),
  'GET /api/runs/export': () => ({ path: '/api/runs/export?format=jsonl&status=waiting&from=2026-01-01' }),
  'POST /api/runs/{runId}/stop': ({ runId }) => ({ path: `/api/runs/${runId}/stop` }),
  'POST /api/runs/{runId}/repeat': ({ runId }) => ({ path: `/api/runs/${runId}/repeat` }),
  'POST /api/runs/{runId}/fork': ({ runId }) => ({
    path: `/api/runs/${runId}/fork`,
    body: { step: 1, side: 'before', message: 'In another way.' },
  }),
  'GET /api/runs/{runId}/live': ({ runId }) => ({ path: `/api/runs/${runId}/live`, stream: true }),
  'GET /api/executions': () => ({ path: '/api/executions' }),
  'GET /api/executions/{executionId}': ({ executionId }) => ({ path: `/api/executions/${executionId}` }),
  'GET /api/executions/export': () => ({ path: '/api/executions/export?format=jsonl&status=denied' }),
  'GET /api/executions/tail': () => ({ path: '/api/executions/tail', stream: true }),
  'GET /api/questions': () => ({ path: '/api/questions' }),
  'GET /api/questions/{questionId}': ({ questionId }) => ({ path: `/api/questions/${questionId}` }),
  'POST /api/questions/{questionId}/answer': ({ questionId }) => ({
    path: `/api/questions/${questionId}/answer`,
    body: { verdict: 'approve', value: 'tea' },
  }),
  'GET /api/questions/events': () => ({ path: '/api/questions/events', stream: true }),
  'GET /api/policies': () => ({ path: '/api/policies' }),
  'GET /api/files/raw': ({ virtualFileId }) => ({ path: `/api/files/raw?in=virtual&file=${virtualFileId}` }),
  'GET /api/secrets': () => ({ path: '/api/secrets' }),
  'POST /api/secrets': () => ({
    path: '/api/secrets',
    body: { name: `stored.${newId('x')}`, scope: 'tests', value: 'canary value' },
  }),
  'DELETE /api/secrets/{secretId}': ({ secretId }) => ({ path: `/api/secrets/${secretId}` }),
  'GET /api/audit': () => ({ path: '/api/audit' }),
  'GET /api/audit/export': () => ({ path: '/api/audit/export?format=log&action=secret.*' }),
  'GET /api/audit/verification': () => ({ path: '/api/audit/verification' }),
  'GET /api/playground/sessions': () => ({ path: '/api/playground/sessions' }),
  'GET /api/playground/sessions/{id}': ({ conversationId }) => ({ path: `/api/playground/sessions/${conversationId}` }),
  'POST /api/playground/sessions/{id}/chat': ({ conversationId }) => ({
    path: `/api/playground/sessions/${conversationId}/chat`,
    body: { message: 'hello' },
    stream: true,
  }),
  'GET /api/playground/sessions/{id}/events': ({ conversationId }) => ({
    path: `/api/playground/sessions/${conversationId}/events`,
    stream: true,
  }),
  'GET /api/playground/sessions/{id}/files/{file}': ({ conversationId, fileId }) => ({
    path: `/api/playground/sessions/${conversationId}/files/${fileId}`,
  }),
}

/** Somebody else's session takes no message, but a new one of the caller's own may have the same name. */
export const opensItsOwn = ['POST /api/playground/sessions/{id}/chat']

export const callKey = (method: string, path: string) => `${method} ${path}`

/** What the document says about who may: "Needs the scope `runs` of a key, and the role member or a higher one." */
export function rightsOf(description: string): { scope: string; role: Role } {
  const found = /Needs the scope `(\w+)` of a key, and the role (\w+)/.exec(description)
  if (!found) throw new Error(`the document does not say who may: ${description}`)
  return { scope: found[1] as string, role: found[2] as Role }
}
