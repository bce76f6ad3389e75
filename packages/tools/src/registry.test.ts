import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { aliasesOf } from './builtin-aliases.ts'
import type { AnyTool } from './contract.ts'
import { toApiName } from './names.ts'
import type { Policy } from './policy/policy.ts'
import { RegistrationProblem, ToolRegistry, toolVersion } from './registry.ts'
import { echoTool, sampleContext, sampleTools } from './testing/sample-tools.ts'

const toolNamed = (name: string, more: Partial<AnyTool> = {}): AnyTool => ({
  ...(echoTool as AnyTool),
  aliases: [],
  groups: [],
  name,
  ...more,
})
const names = (tools: readonly AnyTool[]) => tools.map(({ name }) => name)

let registry: ToolRegistry
beforeEach(() => {
  registry = new ToolRegistry()
})

describe('registering', () => {
  test('a tool is found by its name, its API name and its aliases', () => {
    registry.register(echoTool)
    expect(registry.get('sample.echo')).toBe(echoTool)
    expect(registry.getByApiName('sample-echo')).toBe(echoTool)
    expect(registry.has('sample.echo')).toBe(true)
    expect(registry.find('sample.echo')).toEqual({ tool: echoTool, alias: null })
    expect(registry.find('sample-echo')).toEqual({ tool: echoTool, alias: null })
    expect(registry.find('sample_say')).toEqual({ tool: echoTool, alias: echoTool.aliases?.[0] })
    expect(registry.find('nobody')).toBeUndefined()
  })

  test('a name that is taken is refused, and the first stays', () => {
    registry.register(echoTool)
    expect(() => registry.register(toolNamed('sample.echo'))).toThrow('There is one with this name already.')
    expect(registry.get('sample.echo')).toBe(echoTool)
  })

  test('one text never means two tools: a name that is the API name of another is refused, in either order', () => {
    registry.register(toolNamed('web.search'))
    expect(() => registry.register(toolNamed('web-search'))).toThrow('Its name is the API name of web.search.')
    const other = new ToolRegistry()
    other.register(toolNamed('web-search'))
    expect(() => other.register(toolNamed('web.search'))).toThrow("Its API name web-search is another tool's name.")
    other.register(toolNamed('web_search'))
  })

  test.each<[string, Partial<AnyTool>, string]>([
    ['a bad name', { name: 'a b' }, 'has a space'],
    ['no title', { title: ' ' }, 'has no title'],
    ['no description', { description: '' }, 'has no description'],
    ['an unknown effect', { effect: 'destroy' as 'read' }, 'effect is destroy'],
    ['an unknown hook', { hook: 'maybe' as 'log' }, 'hook is maybe'],
    ['no execute', { execute: undefined as unknown as AnyTool['execute'] }, 'no execute function'],
    ['a schema that is not of an object', { inputSchema: { type: 'string' } }, 'needs "type": "object"'],
    [
      'a schema that is wrong',
      { inputSchema: { type: 'object', required: 'a' } },
      'Its inputSchema is wrong. The schema at /required',
    ],
    [
      'a pattern that could hang',
      { inputSchema: { type: 'object', properties: { a: { pattern: '(?=a)' } } } },
      'looks ahead',
    ],
    ['an output schema that is wrong', { outputSchema: { $ref: 'https://x.test/' } }, 'Its outputSchema is wrong'],
    ['a configuration schema that is wrong', { configSchema: { type: 'nothing' } }, 'Its configSchema is wrong'],
    ['no time at all', { timeoutMs: 0 }, 'timeoutMs is not a positive number'],
    ['a rate limit of nothing', { rateLimit: { calls: 0, perMs: 1 } }, 'rateLimit'],
    [
      'an alias twice',
      {
        aliases: [
          { name: 'x', system: 'glee' },
          { name: 'x', system: 'lynkr' },
        ],
      },
      'alias x twice',
    ],
    [
      'aliases although it is a stranger',
      { name: 'mcp:evil:x', aliases: [{ name: 'bash', system: 'nodyn' }] },
      'An MCP tool has no aliases',
    ],
    ['an alias that is a pattern', { aliases: [{ name: 'x*', system: 'glee' }] }, 'only patterns'],
    ['scopes that are no names', { requiredSecretScopes: [1] as unknown as string[] }, 'requiredSecretScopes'],
  ])('a tool with %s is refused, in a sentence that names it', (_what, fault, reason) => {
    expect(() => registry.register(toolNamed('sample.bad', fault))).toThrow(RegistrationProblem)
    expect(() => registry.register(toolNamed('sample.bad', fault))).toThrow(reason)
    expect(registry.list()).toEqual([])
    expect(registry.version).toBe(0)
  })

  test('what is no tool at all is refused', () => {
    for (const nothing of [null, undefined, 42, 'tool'])
      expect(() => registry.register(nothing as unknown as AnyTool)).toThrow(RegistrationProblem)
  })

  test('many are registered together, or none of them', () => {
    registry.registerMany([toolNamed('a'), toolNamed('b')])
    expect(() =>
      registry.registerMany([toolNamed('c', { aliases: [{ name: 'see', system: 'glee' }] }), toolNamed('a')]),
    ).toThrow('"a" cannot be registered')
    expect(names(registry.list())).toEqual(['a', 'b'])
    expect(registry.find('see')).toBeUndefined()
    expect(registry.find('c')).toBeUndefined()
  })

  test('a tool that is unregistered is gone by all of its names, and may come back', () => {
    registry.register(echoTool)
    expect(registry.unregister('sample.echo')).toBe(true)
    expect(registry.unregister('sample.echo')).toBe(false)
    for (const name of ['sample.echo', 'sample-echo', 'sample_say']) expect(registry.find(name)).toBeUndefined()
    registry.register(echoTool)
    expect(registry.list()).toEqual([echoTool])
  })

  test('the version grows with every change, and only then', () => {
    const seen = [registry.version]
    registry.register(echoTool)
    seen.push(registry.version)
    registry.find('sample.echo')
    registry.list()
    expect(registry.version).toBe(seen.at(-1))
    registry.setPolicy({} as Policy)
    seen.push(registry.version)
    registry.unregister('sample.echo')
    seen.push(registry.version)
    expect(new Set(seen).size).toBe(4)
    expect(seen).toEqual([...seen].sort((a, b) => a - b))
  })

  test.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    '%s is a name like any other',
    (name) => {
      expect(registry.find(name)).toBeUndefined()
      expect(registry.get(name)).toBeUndefined()
      expect(registry.getByApiName(name)).toBeUndefined()
      registry.register(toolNamed(name, { aliases: [{ name: 'valueOf', system: 'glee' }] }))
      expect(registry.get(name)?.name).toBe(name)
      expect(registry.find('valueOf')?.tool.name).toBe(name)
      expect(names(registry.scopedView({ deniedTools: [name] }).list())).toEqual([])
      registry.unregister(name)
      expect(registry.has(name)).toBe(false)
    },
  )

  test('very long names are found by their API name too', () => {
    const long = `mcp:server:${'a'.repeat(150)}`
    registry.register(toolNamed(long))
    expect(registry.getByApiName(toApiName(long))?.name).toBe(long)
  })

  test('whatever is registered and unregistered, every tool is found by each of its names and no other is', () => {
    const name = fc.constantFrom('a', 'a.b', 'a_b', 'a-b', 'mcp:a:b', 'mcp__a__b', '__proto__')
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), name), { maxLength: 20 }), (changes) => {
        const fresh = new ToolRegistry()
        const expected = new Set<string>()
        for (const [add, changed] of changes) {
          if (!add) expect(fresh.unregister(changed)).toBe(expected.delete(changed))
          else
            try {
              fresh.register(toolNamed(changed))
              expected.add(changed)
            } catch (error) {
              expect(error).toBeInstanceOf(RegistrationProblem)
            }
        }
        expect(new Set(names(fresh.list()))).toEqual(expected)
        for (const there of expected) {
          expect(fresh.find(there)?.tool.name).toBe(there)
          expect(fresh.find(toApiName(there))?.tool.name).toBe(there)
        }
      }),
    )
  })
})

describe('an alias that two tools claim', () => {
  const file = toolNamed('file.read', { aliases: aliasesOf('file.read') })
  const virtual = toolNamed('vfs.read', { aliases: aliasesOf('vfs.read') })

  test.each([[[file, virtual]], [[virtual, file]]])(
    'means the attached one; with both or none attached, the first of the table',
    (tools) => {
      registry.registerMany(tools)
      expect(registry.find('read_file', { attached: new Set(['vfs.read']) })?.tool).toBe(virtual)
      expect(registry.find('read_file', { attached: new Set(['file.read']) })?.tool).toBe(file)
      expect(registry.find('read_file', { attached: new Set(['vfs.read', 'file.read']) })?.tool).toBe(file)
      expect(registry.find('read_file', { attached: new Set() })?.tool).toBe(file)
      expect(registry.find('read_file')?.tool).toBe(file)
      registry.unregister('file.read')
      expect(registry.find('read_file')).toEqual({ tool: virtual, alias: aliasesOf('vfs.read')[0] })
    },
  )

  test('a tool that really has that name goes before it', () => {
    registry.registerMany([file, toolNamed('read_file')])
    expect(registry.find('read_file')).toMatchObject({ tool: { name: 'read_file' }, alias: null })
  })
})

describe('a scoped view', () => {
  beforeEach(() =>
    registry.registerMany([
      ...sampleTools,
      toolNamed('file.read', { aliases: aliasesOf('file.read'), groups: ['fs'] }),
      toolNamed('vfs.read', { aliases: aliasesOf('vfs.read') }),
    ]),
  )

  test('has what is allowed and not denied: names, aliases, patterns, groups', () => {
    expect(names(registry.scopedView({ allowedTools: ['sample.echo', 'Read'] }).list())).toEqual([
      'sample.echo',
      'file.read',
    ])
    expect(names(registry.scopedView({ deniedTools: ['group:sample', 'file.*'] }).list())).toEqual(['vfs.read'])
    expect(
      names(registry.scopedView({ allowedTools: ['sample.*', 'vfs.read'], deniedTools: ['sample.*'] }).list()),
    ).toEqual(['vfs.read'])
    expect(registry.scopedView({ allowedTools: [] }).list()).toEqual([])
    expect(registry.scopedView({}).list()).toHaveLength(registry.list().length)
  })

  test('finds nothing outside of it by any name, and what is inside by every name', () => {
    const view = registry.scopedView({ deniedTools: ['sample_say'] })
    for (const name of ['sample.echo', 'sample-echo', 'sample_say']) expect(view.find(name)).toBeUndefined()
    expect(view.get('sample.echo')).toBeUndefined()
    expect(view.getByApiName('sample-echo')).toBeUndefined()
    expect(view.has('sample.echo')).toBe(false)
    expect(view.find('sample-add')?.tool.name).toBe('sample.add')
    expect(view.getByApiName('sample-add')?.name).toBe('sample.add')
    expect(view.getEntries().map(({ definition }) => definition.name)).not.toContain('sample-echo')
  })

  test('a shared alias means the tool that is in it', () => {
    const view = registry.scopedView({ deniedTools: ['file.*'] })
    expect(view.find('read_file')?.tool.name).toBe('vfs.read')
    expect(view.find('read_file', { attached: new Set(['file.read']) })?.tool.name).toBe('vfs.read')
  })

  test('is live: tools come and go with the registry', () => {
    const view = registry.scopedView({ allowedTools: ['late.*'] })
    expect(view.list()).toEqual([])
    registry.register(toolNamed('late.tool'))
    expect(names(view.list())).toEqual(['late.tool'])
    registry.unregister('late.tool')
    expect(view.has('late.tool')).toBe(false)
  })

  test('a view of a view only narrows it', () => {
    const inner = registry
      .scopedView({ allowedTools: ['sample.*'] })
      .scopedView({ allowedTools: ['*'], deniedTools: ['sample.echo'] })
    expect(inner.has('file.read')).toBe(false)
    expect(inner.has('sample.echo')).toBe(false)
    expect(inner.has('sample.add')).toBe(true)
  })

  test('what is no pattern is refused when the view is made', () => {
    expect(() => registry.scopedView({ deniedTools: ['sample*'] })).toThrow('sample*')
  })
})

test('entries are the definitions of the model API, with the bare handler', async () => {
  registry.register(echoTool)
  const [entry] = registry.getEntries()
  expect(entry?.definition).toEqual({
    name: 'sample-echo',
    description: echoTool.description,
    input_schema: echoTool.inputSchema,
    eager_input_streaming: true,
  })
  expect(await entry?.handler({ text: 'a', times: 2 }, sampleContext())).toMatchObject({ output: 'aa' })
})

test('the policy is the one that was set', () => {
  const policy = {} as Policy
  expect(registry.getPolicy()).toBeUndefined()
  registry.setPolicy(policy)
  expect(registry.getPolicy()).toBe(policy)
  expect(registry.scopedView({}).getPolicy()).toBe(policy)
})

describe('the version of a tool', () => {
  test('is the same for the same definition, whatever the order of its keys', () => {
    const { name, ...others } = echoTool as AnyTool
    expect(toolVersion({ ...others, name })).toBe(toolVersion(echoTool))
  })

  test.each<Partial<AnyTool>>([
    { name: 'sample.other' },
    { title: 'Other' },
    { description: 'Other' },
    { effect: 'send' },
    { idempotent: false },
    { untrusted: true },
    { timeoutMs: 1 },
    { requiredSecretScopes: ['x'] },
    { inputSchema: { type: 'object', properties: { text: { type: 'string', description: 'Now with feeling' } } } },
  ])('changes with %j', (change) => {
    expect(toolVersion({ ...(echoTool as AnyTool), ...change })).not.toBe(toolVersion(echoTool))
  })
})
