import type { JsonSchema, OpenApiOperation } from './openapi-document.ts'

const samples: Record<string, string> = {
  agentId: 'agt_…',
  toolId: 'file.read',
  runId: 'run_…',
  executionId: 'call_…',
  questionId: 'qst_…',
  secretId: 'sec_…',
  fileId: 'dlv_…',
  file: 'dlv_…',
}

/** A call that somebody can paste into a shell and fill in. */
export function curlExample(method: string, path: string, operation: OpenApiOperation, origin: string): string {
  const filled = path.replace(
    /\{(\w+)\}/g,
    (_, name: string) => samples[name] ?? (path.includes('/tools/') ? 'file.read' : 'first'),
  )
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${origin}${filled}`,
    '-H "Authorization: Bearer $QM_KEY"',
  ]
  const schema = operation.requestBody?.content['application/json']?.schema
  if (schema) lines.push('-H "Content-Type: application/json"', `-d '${JSON.stringify(sampleOf(schema))}'`)
  return lines.join(' \\\n  ')
}

/** What has to be given, and one thing more where nothing has. */
function sampleOf(schema: JsonSchema): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>
  const required = (schema.required ?? []) as string[]
  return Object.fromEntries(required.map((name) => [name, sampleValue(name, properties[name] ?? {})]))
}

function sampleValue(name: string, schema: JsonSchema): unknown {
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (schema.type === 'integer') return 1
  return { tool_id: 'file.read', name: 'github.token', scope: 'github', message: 'list files' }[name] ?? '…'
}
