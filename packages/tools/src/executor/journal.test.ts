import { describe, expect, it } from 'vitest'
import { succeeded } from '../contract.ts'
import type { Journal, RequestedCall } from './outcome.ts'
import { testExecutor, testTool } from './testing.ts'

describe('the record', () => {
  const journalOf = (written: string[], more: Journal = {}): Journal => ({
    requested: (call) => void written.push(`requested ${call.tool}`),
    decided: (_, decision) => void written.push(`decided ${decision.verdict}`),
    started: () => written.push('started') > 0,
    finished: (_, outcome) =>
      void written.push(`finished ${outcome.kind === 'finished' ? (outcome.code ?? 'ok') : outcome.kind}`),
    ...more,
  })

  it('is written before what it describes, for every call, also refused ones', async () => {
    const written: string[] = []
    const tool = testTool(async () => {
      written.push('ran')
      return succeeded('')
    })
    const asking = testTool(undefined, { name: 'test.ask', hook: 'confirm', effect: 'write' })
    const config = { profile: 'full', deny: ['test.denied'] }
    const { call } = testExecutor([tool, asking, testTool(undefined, { name: 'test.denied' })], {
      config,
      journal: journalOf(written),
    })
    await call('test.tool')
    await call('test.denied')
    await call('nothing')
    await call('test.tool', 'no object')
    await call('test.ask')
    expect(written).toEqual([
      'requested test.tool',
      'decided allow',
      'started',
      'ran',
      'finished ok',
      'requested test.denied',
      'decided deny',
      'finished refused_by_policy',
      'requested nothing',
      'finished unknown_tool',
      'requested test.tool',
      'finished invalid_arguments',
      'requested test.ask',
      'decided ask',
      'finished ask',
    ])
  })

  it('is a condition: no record, no execution', async () => {
    const refusals: [what: string, journal: Journal][] = [
      [
        'requested throws',
        {
          requested: () => {
            throw new Error('disk full')
          },
        },
      ],
      ['requested rejects', { requested: () => Promise.reject(new Error('disk full')) }],
      ['decided rejects', { decided: () => Promise.reject(new Error('disk full')) }],
      [
        'started throws',
        {
          started: () => {
            throw new Error('disk full')
          },
        },
      ],
      ['started says false', { started: () => false }],
      ['started says false later', { started: async () => false }],
    ]
    for (const [what, journal] of refusals) {
      let ran = false
      const tool = testTool(async () => {
        ran = true
        return succeeded('')
      })
      const outcome = await testExecutor([tool], { journal }).finish('test.tool')
      expect(outcome, what).toMatchObject({ success: false, code: 'not_recorded' })
      expect(ran, what).toBe(false)
    }
  })

  it('says so where the end could not be recorded, and gives the result all the same', async () => {
    const journal: Journal = { finished: () => Promise.reject(new Error('connection lost')) }
    const outcome = await testExecutor([testTool()], { journal }).finish('test.tool')
    expect(outcome.output).toBe('done')
    expect(outcome.warnings).toEqual(['The end of this call could not be recorded: Error: connection lost'])
  })

  it('has the digest of what was decided on, even if the tool changes its arguments', async () => {
    const digests: string[] = []
    const journal: Journal = { finished: (call: RequestedCall) => void digests.push(call.digest) }
    const tool = testTool(async (args) => {
      args.a = 'changed'
      return succeeded('')
    })
    const { call } = testExecutor([tool, testTool(undefined, { name: 'test.quiet' })], { journal })
    await call('test.tool', { a: 1 })
    await call('test.tool', { a: 1 })
    expect(digests[0]).toBe(digests[1])
  })
})
