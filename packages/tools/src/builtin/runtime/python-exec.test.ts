import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { testExecutor } from '../../executor/testing.ts'
import { holdsUnlikePlantedBug } from '../../guard/planted-bug.ts'
import { createSandbox } from '../../sandbox/create-sandbox.ts'
import { describeNeeding, machineSandbox } from '../../sandbox/testing/needs.ts'
import { weakened } from '../../sandbox/testing/try-program.ts'
import { makeWorkFolder } from '../../sandbox/testing/work-folder.ts'
import { describeToolContract } from '../../testing/tool-contract.ts'
import { findPython } from './find-python.ts'
import { usesOfOs, waysToOs } from './python-escapes.ts'
import { createPythonTool } from './python-exec.ts'
import { pythonRunner } from './python-runner.ts'

const folder = makeWorkFolder()
afterAll(folder.remove)

describeNeeding(['bubblewrap'], 'python.exec', () => {
  const sandbox = machineSandbox()
  const tool = createPythonTool({ sandbox })
  describeToolContract(tool, { validArguments: { code: 'print(1)' } })
  const { finish } = testExecutor([tool])
  const run = (code: string) => finish('execute_python', { code })

  test("runs iofold's example", async () => {
    const code = "import json\ndata = {'result': 42}\nprint(json.dumps(data))"
    expect(await run(code)).toMatchObject({ success: true, output: '{"result": 42}\n' })
  })

  test.each([
    ['from typing import NamedTuple\nclass A(NamedTuple):\n  x: int\nprint(A(1))', 'A(x=1)\n'],
    ["import re\nprint(re.findall(r'\\d+', 'a1b22'))", "['1', '22']\n"],
    ['import json.decoder, json\nprint(json.loads("[1]"))', '[1]\n'],
    ["print('ü'.encode('latin-1'), '\\N{BULLET}', 'ẞ'.lower())", "b'\\xfc' • ß\n"],
    ['print(sum(range(10**6)), 2**100)', '499999500000 1267650600228229401496703205376\n'],
    ['x = 1', '(no output: print what you want to see)'],
    ['raise SystemExit', '(no output: print what you want to see)'],
    ['def f(n): return 1 if n < 2 else n * f(n - 1)\nprint(f(20))', '2432902008176640000\n'],
  ])('computes %j', async (code, output) => expect(await run(code)).toMatchObject({ success: true, output }))

  test.each([
    ['print(1', "SyntaxError: '(' was never closed"],
    ['1/0', 'ZeroDivisionError: division by zero'],
    ['import os', "ImportError: 'os' cannot be imported here: only json, re, typing"],
    ['from os import path', "'os' cannot be imported"],
    ['import subprocess, socket', "'subprocess' cannot be imported"],
    ["__import__('ctypes')", "'ctypes' cannot be imported"],
    ["open('/etc/passwd')", 'files cannot be opened here'],
    ["x = 'a' * 10**9", 'MemoryError'],
    ['x = []\nwhile True: x.append(bytearray(10**6))', 'MemoryError'],
    ['def f(): f()\nf()', 'RecursionError'],
    ['input()', 'EOFError'],
    ["raise SystemExit('bye')", 'bye'],
    ['\0', 'null bytes'],
    ["while True: print('x' * 1000)", 'because it had written 1024 KB'],
  ])('says what is wrong with %j', async (code, error) => {
    const outcome = await run(code)
    expect(outcome.success).toBe(false)
    expect(outcome.error).toContain(error)
    expect(`${outcome.error}${outcome.output}`).not.toContain('guarded')
  })

  test('ends after five seconds', async () => {
    const outcome = await run('print("begun", flush=True)\nwhile True: pass')
    expect(outcome).toMatchObject({ success: false, output: 'begun\n' })
    expect(outcome.error).toContain('5 seconds')
    expect(outcome.durationMs).toBeLessThan(6_500)
  })

  test('keeps nothing for the next call', async () => {
    await run('x = 1\nimport json\njson.dumps = None')
    expect((await run('print(x)')).error).toContain('NameError')
  })

  test('no way through the object graph leads anywhere', { timeout: 60_000 }, async () => {
    const canary = join(folder.parent, 'canary')
    writeFileSync(canary, 'the canary sings')
    chmodSync(canary, 0o644)
    let connections = 0
    const server = createServer((socket) => {
      connections++
      socket.destroy()
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as { port: number }
    const cases = Object.keys(waysToOs).flatMap((way) => Object.keys(usesOfOs).map((use) => ({ way, use })))
    expect(cases.length).toBeGreaterThan(100)
    // Each use by one way alone, since some end the process; each way with all the uses that do not, in one process.
    const lonely = [
      'another program in its place',
      'the loader in its place',
      'python again',
      'kill others',
      'fork',
      'close and read',
    ]
    const attempt = (way: string, uses: readonly string[]) =>
      [
        `CANARY = ${JSON.stringify(canary)}; PORT = ${port}`,
        ...uses.map(
          (use) =>
            `try:\n o = ${waysToOs[way]}\n print('#found')\n ${usesOfOs[use]}\nexcept BaseException as e: print(type(e).__name__, e)`,
        ),
      ].join('\n')
    const first = Object.keys(waysToOs)[0] as string
    const scripts = [
      ...Object.keys(waysToOs).map((way) =>
        attempt(
          way,
          Object.keys(usesOfOs).filter((use) => !lonely.includes(use)),
        ),
      ),
      ...lonely.map((use) => attempt(first, [use])),
    ]
    const look = async (python: typeof tool) => {
      const { finish: finishWith } = testExecutor([python])
      const outputs: string[] = []
      for (let index = 0; index < scripts.length; index += 4)
        outputs.push(
          ...(
            await Promise.all(scripts.slice(index, index + 4).map((code) => finishWith('python.exec', { code })))
          ).map(({ output, error }) => `${output}${error ?? ''}`),
        )
      return outputs
    }
    const outputs = await look(tool)
    expect(outputs.filter((output) => output.includes('ESCAPED') || output.includes('sings'))).toEqual([])
    expect(connections).toBe(0)
    // Nearly all of the ways do find the module: it is not the guard of imports that protects us.
    const ways = outputs.slice(0, Object.keys(waysToOs).length)
    expect(ways.filter((output) => output.includes('#found')).length).toBeGreaterThan(11)

    // The control: without the runner's limits, in a sandbox that sees the canary, the same attempts get somewhere.
    const holes = weakened(sandbox, (request) => ({
      ...request,
      command: request.command.map((argument) =>
        argument === pythonRunner ? pythonRunner.replace('resource.setrlimit(limit, (0, 0))', 'pass') : argument,
      ) as [string, ...string[]],
      readPaths: [canary],
      network: 'all',
      limits: { ...request.limits, processes: 100, memoryBytes: 1024 ** 3, fileBytes: 1024 },
    }))
    await holdsUnlikePlantedBug(tool, createPythonTool({ sandbox: holes }), async (python) => {
      const found = python === tool ? outputs : await look(python)
      expect(found.filter((output) => output.includes('ESCAPED') || output.includes('sings')).length).toBeLessThan(10)
    })
    expect(connections).toBeGreaterThan(0)
    server.close()
  })

  test('other Pythons than the system’s work as well', async () => {
    const candidates = (await findPython()) === null ? [] : [(await findPython())?.program ?? '']
    expect(candidates.length).toBe(1)
    expect(await findPython(['/nonexistent', ...candidates])).toMatchObject({ program: candidates[0] })
    expect(
      readFileSync(candidates[0] ?? '')
        .subarray(1, 4)
        .toString(),
    ).toBe('ELF')
  })

  test('a machine without Python says so', async () => {
    const { finish: finishWithout } = testExecutor([
      createPythonTool({ sandbox, findPython: () => findPython(['/nonexistent']) }),
    ])
    expect((await finishWithout('python.exec', { code: 'print(1)' })).error).toContain('apt install python3')
  })
})

describe('without a sandbox', () => {
  test('python.exec is refused: it promises to be shut in', async () => {
    const { finish } = testExecutor([
      createPythonTool({ sandbox: createSandbox({ kind: 'none', detail: '', fix: null }) }),
    ])
    expect((await finish('python.exec', { code: 'print(1)' })).error).toContain('no sandbox')
  })
})
