// Whatever comes from a model or a tool: a clear result, and a healthy process afterwards.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { succeeded } from '../contract.ts'
import { limits } from '../limits.ts'
import { createExecutor } from './execute-tool-call.ts'
import type { Journal } from './outcome.ts'
import { testCaller, testExecutor, testTool } from './testing.ts'

const unhandled: unknown[] = []
const note = (error: unknown) => void unhandled.push(error)
beforeAll(() => void process.on('unhandledRejection', note).on('uncaughtExceptionMonitor', note))
afterAll(async () => {
  await sleep(20)
  process.off('unhandledRejection', note).off('uncaughtExceptionMonitor', note)
  expect(unhandled).toEqual([])
})

const run = (execute: Parameters<typeof testTool>[0], more: Parameters<typeof testTool>[1] = {}) =>
  testExecutor([testTool(execute, more)]).finish('test.tool')

describe('a name', () => {
  const { finish } = testExecutor([
    testTool(undefined, { name: 'file.read' }),
    testTool(undefined, { name: 'file.write' }),
  ])

  it('of no tool is refused, with the names nearest to it', async () => {
    const outcome = await finish('file.raed')
    expect(outcome).toMatchObject({ success: false, code: 'unknown_tool', tool: 'file.raed' })
    expect(outcome.error).toBe("There is no tool 'file.raed'. Did you mean 'file.read'?")
    expect((await finish('zzzzzzzz')).error).toBe("There is no tool 'zzzzzzzz'.")
  })

  it('that every object has is a name of no tool', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype']) {
      expect(await finish(name)).toMatchObject({ success: false, code: 'unknown_tool' })
    }
  })

  it('that a tool really has works, even one that every object has', async () => {
    const tool = testTool(undefined, { name: 'constructor' })
    expect((await testExecutor([tool]).finish('constructor')).success).toBe(true)
  })

  it('of ten megabytes, or that is no string, is refused without being repeated', async () => {
    const outcome = await finish('x'.repeat(10_000_000))
    expect(outcome.code).toBe('unknown_tool')
    expect(outcome.tool.length + (outcome.error?.length ?? 0)).toBeLessThan(1_000)
    for (const name of [undefined, null, 7, {}, '']) expect((await finish(name as string)).code).toBe('unknown_tool')
  })
})

describe('arguments', () => {
  const strict = testTool(async (args) => succeeded(JSON.stringify(args)), {
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' } },
      required: ['path'],
      additionalProperties: false,
    },
  })
  const open = testTool(async (args) => succeeded(JSON.stringify(args)), { name: 'test.open' })
  const { finish } = testExecutor([strict, open])

  it('that are no object are refused', async () => {
    for (const args of ['{"path":"a"}', 7, true, null, ['a'], Symbol('x'), () => 1]) {
      const outcome = await finish('test.tool', args)
      expect(outcome).toMatchObject({ success: false, code: 'invalid_arguments' })
      expect(outcome.error).toContain('must be an object')
    }
  })

  it('of ten megabytes are refused, and not kept in the record', async () => {
    const recorded: unknown[] = []
    const journal: Journal = { requested: (call) => void recorded.push(call.arguments) }
    const outcome = await testExecutor([strict], { journal }).finish('test.tool', { path: 'x'.repeat(10_000_000) })
    expect(outcome).toMatchObject({ success: false, code: 'invalid_arguments' })
    expect(outcome.error).toContain(`larger than ${limits.argumentBytes.toLocaleString('en')} bytes`)
    expect(recorded).toEqual([null])
  })

  it('list every violation with its path', async () => {
    const outcome = await finish('test.tool', { path: 7, extra: true })
    expect(outcome.error).toContain('path')
    expect(outcome.error).toContain('extra')
  })

  it('with keys that change prototypes change none', async () => {
    for (const json of [
      '{"path":"a","__proto__":{"polluted":true}}',
      '{"__proto__":{"path":"a"}}',
      '{"a":{"__proto__":{}}}',
    ]) {
      for (const tool of ['test.tool', 'test.open'])
        expect((await finish(tool, JSON.parse(json))).code).toBe('invalid_arguments')
    }
    expect(
      (await finish('test.tool', JSON.parse('{"path":"a","constructor":{"prototype":{"polluted":true}}}'))).code,
    ).toBe('invalid_arguments')
    expect((await finish('test.open', JSON.parse('{"constructor":{"prototype":{"polluted":true}}}'))).success).toBe(
      true,
    )
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('that are missing what every object inherits are missing it', async () => {
    const tool = testTool(undefined, { inputSchema: { type: 'object', required: ['constructor', 'toString'] } })
    expect((await testExecutor([tool]).finish('test.tool', {})).code).toBe('invalid_arguments')
  })

  it('that go round in circles, or deeper than anybody looks, are refused', async () => {
    const circle: Record<string, unknown> = {}
    circle.self = circle
    let deep: Record<string, unknown> = {}
    for (let level = 0; level < 10_000; level++) deep = { deep }
    for (const args of [circle, deep]) expect((await finish('test.open', args)).code).toBe('invalid_arguments')
  })
})

describe('a tool that', () => {
  const thrown: [what: unknown, says: string][] = [
    [new TypeError('x is not a function'), 'TypeError: x is not a function'],
    ['just a string', 'just a string'],
    [undefined, 'it threw undefined'],
    [null, 'it threw null'],
    [42, 'it threw 42'],
    [{ code: 7 }, 'it threw {"code":7}'],
    [Object.create(null), 'it threw {}'],
    [
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('trap')
          },
          ownKeys: () => {
            throw new Error('trap')
          },
        },
      ),
      'it threw something that cannot be shown',
    ],
  ]
  for (const [what, says] of thrown) {
    it(`throws is reported: ${says}`, async () => {
      for (const execute of [
        async () => {
          throw what
        },
        () => {
          throw what
        },
      ]) {
        const outcome = await run(execute)
        expect(outcome).toMatchObject({ success: false, code: 'tool_crashed', output: '' })
        expect(outcome.error).toBe(`Tool 'test.tool' failed: ${says}`)
      }
    })
  }

  const garbage: [what: unknown, says: RegExp][] = [
    [undefined, /returned nothing/],
    [null, /returned nothing/],
    ['done', /returned a string instead of a result/],
    [{}, /is not a result: it has no success/],
    [{ success: 'yes', output: '' }, /is not a result/],
    [{ success: true }, /its output is not a string/],
    [{ success: true, output: 7 }, /its output is not a string/],
    [[], /is not a result/],
    [{ suspend: null }, /a question that cannot be shown/],
    [{ suspend: { kind: 'text', title: 'Why?' } }, /cannot go on with the answer/],
    [
      Object.defineProperty({}, 'success', {
        get() {
          throw new Error('trap')
        },
      }),
      /cannot be read: Error: trap/,
    ],
  ]
  for (const [what, says] of garbage) {
    it(`returns no result is reported: ${says.source}`, async () => {
      const outcome = await run(async () => what)
      expect(outcome).toMatchObject({ success: false, code: 'tool_crashed' })
      expect(outcome.error).toMatch(says)
    })
  }

  it('returns its result without a promise is as good as any', async () => {
    expect((await run(() => succeeded('at once'))).output).toBe('at once')
  })

  it('fails without a reason is given one', async () => {
    expect((await run(async () => ({ success: false, output: '' }))).error).toBe(
      "Tool 'test.tool' failed without saying why.",
    )
  })

  it('never ends is ended after its time and the grace', async () => {
    const start = performance.now()
    const outcome = await run(() => new Promise(() => {}), { timeoutMs: 30 })
    expect(outcome).toMatchObject({ success: false, code: 'timed_out' })
    expect(outcome.error).toMatch(/^Tool 'test\.tool' timed out after 30ms\. It did not end when it was told to/)
    expect(performance.now() - start).toBeGreaterThanOrEqual(30 + limits.abortGraceMs - 5)
  })

  it('ends when its signal says so ends at once', async () => {
    const start = performance.now()
    const outcome = await run(
      (_, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      { timeoutMs: 20 },
    )
    expect(outcome).toMatchObject({ code: 'timed_out', error: "Tool 'test.tool' timed out after 20ms." })
    expect(performance.now() - start).toBeLessThan(limits.abortGraceMs)
  })

  it('ignores its signal changes nothing once the call has ended', async () => {
    let context: Parameters<Parameters<typeof testTool>[0] & object>[1] | undefined
    let reject = (_: Error) => {}
    const { finish, events } = testExecutor([
      testTool(
        (_, given) => {
          context = given
          return new Promise((_, no) => {
            reject = no
          })
        },
        { timeoutMs: 10 },
      ),
    ])
    const outcome = await finish('test.tool')
    const told = events.length
    expect(context?.write('late')).toBe(false)
    context?.progress('late')
    context?.taint('late')
    reject(new Error('late'))
    await sleep(5)
    expect(events.length).toBe(told)
    expect(outcome.taint).toEqual([])
  })

  it('is stopped from outside ends, and one that was stopped before does not begin', async () => {
    const controller = new AbortController()
    const begun = Promise.withResolvers<void>()
    const { finish } = testExecutor([
      testTool((_, { signal }) => {
        begun.resolve()
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      }),
    ])
    const running = finish('test.tool', {}, {}, { signal: controller.signal })
    await begun.promise
    controller.abort()
    const stopped = { success: false, code: 'stopped' }
    expect(await running).toMatchObject({ ...stopped, error: "Tool 'test.tool' was stopped." })
    const late = await finish('test.tool', {}, {}, { signal: controller.signal })
    expect(late).toMatchObject({ ...stopped, error: "Tool 'test.tool' was stopped before it began." })
  })

  it('finishes in its grace is believed', async () => {
    const outcome = await run(
      (_, { signal }) => new Promise((yes) => signal.addEventListener('abort', () => yes(succeeded('saved')))),
      { timeoutMs: 10 },
    )
    expect(outcome).toMatchObject({ success: true, output: 'saved', code: null })
    expect(outcome.warnings).toEqual(["Tool 'test.tool' timed out after 10ms, and reported success all the same."])
  })

  it('prints a gigabyte is stopped at its limit, in bounded memory', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'y')
    const before = process.memoryUsage().rss
    let most = 0
    let refused = 0
    const outcome = await run(async (_, context) => {
      for (let written = 0; written < 1024; written++) {
        if (!context.write(chunk)) refused++
        if (written % 64 === 0) most = Math.max(most, process.memoryUsage().rss - before)
      }
      expect(context.signal.aborted).toBe(true)
      throw context.signal.reason
    })
    expect(outcome).toMatchObject({ success: false, code: 'output_limit', outputBytes: 1024 ** 3 })
    expect(outcome.error).toBe(`Tool 'test.tool' was stopped because it wrote more than ${limits.outputBytes} bytes.`)
    expect(outcome.output).toBe(
      `${'y'.repeat(limits.outputBytes)}\n[Output truncated - ${1024 ** 3 - limits.outputBytes} bytes hidden]`,
    )
    expect(refused).toBe(1024)
    expect(most).toBeLessThan(100 * 1024 * 1024)
  })

  it('writes what is neither text nor bytes is told so', async () => {
    const outcome = await run(async (_, context) => {
      context.write({} as never)
      return succeeded('')
    })
    expect(outcome.error).toBe("Tool 'test.tool' failed: TypeError: write takes a string or bytes")
  })

  it('returns a hundred megabytes is cut to its limit', async () => {
    const outcome = await run(async () => succeeded('z'.repeat(100_000_000)))
    expect(outcome.output).toMatch(/^z{102400}\n\[Output truncated - 99897600 bytes hidden\]$/)
    expect(outcome.success).toBe(true)
  })
})

it('stands a policy that breaks: the call is refused, not run', async () => {
  let ran = false
  const registry = testExecutor([
    testTool(async () => {
      ran = true
      return succeeded('')
    }),
  ]).registry
  const policy = () => {
    throw new Error('policy store is down')
  }
  const outcome = await createExecutor({ registry, policy })(
    { toolCallId: 'x', name: 'test.tool', arguments: {} },
    testCaller,
  )
  expect(outcome).toMatchObject({ kind: 'finished', success: false, code: 'internal_error' })
  expect(ran).toBe(false)
})

it('keeps nothing of a hundred thousand calls, good and bad', async () => {
  const tool = testTool(async ({ mode }) => {
    if (mode === 1) throw new Error('x')
    return succeeded('ok')
  })
  const { registry } = testExecutor([tool])
  const { Policy } = await import('../policy/policy.ts')
  const execute = createExecutor({ registry, policy: new Policy({ profile: 'full' }) })
  const controller = new AbortController()
  const caller = { ...testCaller, signal: controller.signal }
  const rounds = async (count: number) => {
    for (let index = 0; index < count; index++) {
      await execute(
        { toolCallId: `${index}`, name: index % 7 === 0 ? 'nothing' : 'test.tool', arguments: { mode: index % 3 } },
        caller,
      )
    }
    globalThis.gc?.()
    return process.memoryUsage().heapUsed
  }
  const before = await rounds(20_000)
  const after = await rounds(100_000)
  // Without --expose-gc the difference is whatever was not collected yet; the bench measures it properly.
  expect(after - before).toBeLessThan(globalThis.gc ? 2_000_000 : 60_000_000)
})
