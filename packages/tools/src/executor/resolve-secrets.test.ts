import { describe, expect, it } from 'vitest'
import { type AnyTool, succeeded } from '../contract.ts'
import { holdsUnlikePlantedBug } from '../guard/planted-bug.ts'
import type { Journal, Outcome, SecretSource } from './outcome.ts'
import { testExecutor, testTool } from './testing.ts'

const secretsOf = (values: Record<string, string>): SecretSource => ({
  read: (scope) => (scope in values ? new Map([[`${scope}.token`, values[scope] as string]]) : null),
})

describe('secrets', () => {
  const echo = testTool(
    async (_, context) => {
      const value = context.secrets.get('github.token') as string
      context.progress(`using ${value}`)
      context.write(`written ${value.slice(0, 6)}`)
      context.write(`${value.slice(6)} `)
      return {
        success: false,
        output: Buffer.from(value).toString('base64'),
        error: `bad token ${value}`,
        data: { header: [`Bearer ${value}`] },
        media: [
          { mimeType: 'text/plain', data: Buffer.from(`token=${value}`).toString('base64'), filename: `${value}.txt` },
          { mimeType: 'image/png', data: Buffer.from(`PNG ${value}`).toString('base64') },
        ],
      }
    },
    { requiredSecretScopes: ['github'] },
  )
  const value = 'ghp_0123456789abcdefghij'
  const everything = (outcome: Outcome, events: unknown[]) =>
    JSON.stringify([outcome, events]) +
    JSON.stringify(
      outcome.kind === 'finished' ? outcome.media.map(({ data }) => Buffer.from(data, 'base64').toString()) : '',
    )

  it('are seen by nobody but the tool: not in output, error, data, media, progress, events or record', async () => {
    const run = async (tool: AnyTool) => {
      const recorded: unknown[] = []
      const journal: Journal = { finished: (_, outcome) => void recorded.push(outcome) }
      const { finish, events } = testExecutor([tool], { journal, secrets: secretsOf({ github: value }) })
      const outcome = await finish('test.tool')
      return { outcome, all: everything(outcome, [...events, ...recorded]) }
    }
    // The bug that is planted: the tool has the value from elsewhere, so the executor does not know it.
    const smuggler = testTool((_, context) =>
      echo.execute(_, { ...context, secrets: new Map([['github.token', value]]) }),
    )
    await holdsUnlikePlantedBug(
      () => run(echo),
      () => run(smuggler),
      async (attempt) => {
        const { all } = await attempt()
        expect(all).not.toContain(value)
        expect(all).not.toContain(Buffer.from(value).toString('base64').slice(0, 12))
      },
    )
    const { outcome } = await run(echo)
    expect(outcome.output).toBe('written [redacted:github.token] [redacted:github.token]')
    expect(outcome.error).toBe('bad token [redacted:github.token]')
    expect(outcome.media).toHaveLength(1)
    expect(outcome.media[0]?.filename).toBe('[redacted:github.token].txt')
    expect(outcome.findings.map((finding) => finding.kind)).toEqual(['secret'])
    expect(outcome.warnings[0]).toContain('image/png was left out')
  })

  it('are those of the declared scopes only', async () => {
    let seen: readonly string[] = []
    const asked: string[] = []
    const source: SecretSource = {
      read: async (scope) => {
        asked.push(scope)
        return new Map([[scope, 'value-of-it']])
      },
    }
    const tool = testTool(
      async (_, context) => {
        seen = [...context.secrets.keys()]
        return succeeded('')
      },
      { requiredSecretScopes: ['a', 'b'] },
    )
    const { finish } = testExecutor([tool, testTool(undefined, { name: 'test.none' })], { secrets: source })
    await finish('test.tool')
    expect(seen).toEqual(['a', 'b'])
    await finish('test.none')
    expect(asked).toEqual(['a', 'b'])
  })

  it('refuse the call before it runs where one is missing, and name the scope', async () => {
    let ran = false
    const tool = testTool(
      async () => {
        ran = true
        return succeeded('')
      },
      { requiredSecretScopes: ['github', 'slack'] },
    )
    for (const [secrets, missing] of [
      [undefined, 'github'],
      [secretsOf({}), 'github'],
      [secretsOf({ github: value }), 'slack'],
    ] as const) {
      const outcome = await testExecutor([tool], { secrets }).finish('test.tool')
      expect(outcome.code).toBe('missing_secret')
      expect(outcome.error).toContain(`the secret scope '${missing}'`)
    }
    expect(ran).toBe(false)
  })

  it('end the call as a clear result where their source fails', async () => {
    const secrets: SecretSource = { read: () => Promise.reject(new Error('vault sealed')) }
    const outcome = await testExecutor([echo], { secrets }).finish('test.tool')
    expect(outcome).toMatchObject({ success: false, code: 'internal_error' })
    expect(outcome.error).toContain('vault sealed')
  })
})
