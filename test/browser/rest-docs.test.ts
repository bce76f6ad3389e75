// The examples of docs/api.md, run as they stand there.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '@quartermaster/db'
import { expect, test } from 'vitest'
import { useConsole } from './console.ts'
import { useRest } from './rest-client.ts'
import { makeTenantIds } from './tenant-ids.ts'

const it = useConsole()
const rest = useRest(it)

interface Example {
  method: string
  path: string
  headers: Record<string, string>
  body: string | undefined
}

/** Every curl command of the document's code blocks, with its variables filled in. */
function readExamples(variables: Record<string, string>): Example[] {
  const text = readFileSync(join(projectRoot, 'docs/api.md'), 'utf8')
  const blocks = [...text.matchAll(/^```\n(.*?)^```/gms)].map((match) => match[1] as string)
  const commands = blocks.flatMap((block) => block.replaceAll('\\\n', ' ').match(/^curl .*$/gm) ?? [])
  return commands.map((command) => {
    const filled = command.replace(/\$([A-Z_]+)/g, (_, name: string) => variables[name] ?? `missing-${name}`)
    const words = [...filled.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
      (match) => match[1] ?? match[2] ?? match[3] ?? '',
    )
    const after = (flag: string) => words.flatMap((word, at) => (word === flag ? [words[at + 1] as string] : []))
    const address = words.find((word) => word.startsWith('http://')) as string
    return {
      method: after('-X')[0] ?? 'GET',
      path: address.replace('http://localhost:3000', ''),
      headers: Object.fromEntries(after('-H').map((header) => header.split(': ') as [string, string])),
      body: after('-d')[0],
    }
  })
}

test('every example of docs/api.md does what it says', async () => {
  const { agentId, questionId } = await makeTenantIds(it.db, {
    workspaceId: it.workspaceId,
    memberId: it.people.admin.memberId,
  })
  await it.db.pool.query(`DELETE FROM tools WHERE id = 'python.exec'`)
  await it.db.pool.query(
    `INSERT INTO tools (id, name, description, parameters_schema, handler_key, category)
     VALUES ('python.exec', 'Execute Python', 'Runs code.', '{}', 'python.exec', 'code')`,
  )
  await it.db.pool.query(
    `INSERT INTO tool_details (tool_id, workspace_id, source, effect, version, aliases)
     VALUES ('python.exec', $1, 'builtin', 'execute', 'v1', ARRAY['execute_python'])`,
    [it.workspaceId],
  )
  const examples = readExamples({ QM_KEY: await rest.key('admin'), AGENT: agentId, QUESTION: questionId })
  expect(examples.length).toBeGreaterThan(8)
  for (const { method, path, headers, body } of examples) {
    const { status } = await rest.call(method, path, { key: null, headers, ...(body ? { raw: body } : {}) })
    expect([method, path, status < 300]).toEqual([method, path, true])
  }
})
