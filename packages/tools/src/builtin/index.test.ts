import { expect, test } from 'vitest'
import { problemOfDefinition } from '../check-definition.ts'
import type { AnyTool } from '../contract.ts'
import { checkEditedCall } from '../executor/check-edited-call.ts'
import { testCaller } from '../executor/testing.ts'
import { toApiName } from '../names.ts'
import { builtinGroups } from '../policy/groups.ts'
import { Policy } from '../policy/policy.ts'
import { builtinProfiles } from '../policy/profiles.ts'
import { ToolRegistry } from '../registry.ts'
import { sampleContext } from '../testing/sample-tools.ts'
import { toolVersion } from '../tool-version.ts'
import { describeBuiltinTools } from './describe-builtin-tools.ts'

const tools = describeBuiltinTools()
const registry = new ToolRegistry()
registry.registerMany(tools)
const names = tools.map(({ name }) => name)

test('all builtin tools can be registered together, with names that the model’s API takes', () => {
  for (const tool of tools) expect(problemOfDefinition(tool), tool.name).toBeNull()
  expect(new Set(names).size).toBe(names.length)
  expect(new Set(names.map(toApiName)).size).toBe(names.length)
})

test('the names of the source documents lead to them', () => {
  const meant = (alias: string) => registry.find(alias)?.tool.name
  expect(
    Object.fromEntries(['Read', 'Write', 'Edit', 'Glob', 'Grep', 'bash', 'Bash'].map((name) => [name, meant(name)])),
  ).toEqual({
    Read: 'file.read',
    Write: 'file.write',
    Edit: 'file.edit',
    Glob: 'file.glob',
    Grep: 'file.grep',
    bash: 'shell.exec',
    Bash: 'shell.exec',
  })
  expect(meant('execute_python')).toBe('python.exec')
  expect(meant('git_commit')).toBe('git.commit')
  expect(meant('http_request')).toBe('http.request')
  expect(meant('list_files')).toBe('vfs.list')
})

test('every tool of the core is there, in a group that policies can name', () => {
  for (const name of [
    'media.send',
    'image.analyze',
    'audio.transcribe',
    'sessions.list',
    'sessions.delete',
    'system.info',
  ])
    expect(names).toContain(name)
  const patterns = [...builtinGroups.values()].flat()
  const isNamed = (name: string) =>
    patterns.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name))
  expect(names.filter((name) => !isNamed(name))).toEqual([])
  expect(builtinProfiles.get('coding')).toBeDefined()
})

test('what is only described has the version of the real one, and runs nothing', async () => {
  const again = describeBuiltinTools()
  expect(again.map(toolVersion)).toEqual(tools.map(toolVersion))
  for (const tool of tools) {
    const result = await tool.execute({} as never, sampleContext())
    expect(result, tool.name).toMatchObject({ success: false, error: expect.stringContaining('only described') })
  }
})

test('a command that is edited where tools are only described keeps its directory, and its lease is of the edited one', async () => {
  const shell = registry.get('shell.exec') as AnyTool
  const edit = (editedArguments: object) =>
    checkEditedCall(registry, new Policy({ profile: 'full' }), testCaller, {
      toolName: shell.name,
      toolVersion: toolVersion(shell),
      arguments: { command: 'npm test', cwd: 'app', timeout: 120_000 },
      editedArguments,
    })
  expect(await edit({ command: 'npm run build' })).toMatchObject({
    ok: true,
    arguments: { command: 'npm run build', cwd: 'app' },
    summary: { facts: [{ label: 'Command' }, { label: 'Directory', value: 'app' }] },
    leaseScope: { words: '`npm run build …` in this folder' },
  })
  expect(await edit({ command: 'ls', cwd: '.' })).toMatchObject({
    arguments: { cwd: '.' },
    summary: { facts: [{ label: 'Command' }, { label: 'Directory', value: 'the work folder' }] },
  })
  const caller = { workspaceId: 'w', conversationId: 'c', agentId: 'a', config: {} }
  expect(await shell.complete?.({ command: 'ls' } as never, caller)).toMatchObject({ ok: false })
})
