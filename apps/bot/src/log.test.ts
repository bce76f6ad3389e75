import { expect, test } from 'vitest'
import { createLog } from './log.ts'

const canary = 'xoxb-canary"with/odd+chars-123'

function record(work: (log: ReturnType<typeof createLog>) => void, plain = false): string {
  let output = ''
  const write = (line: string) => {
    output += line
  }
  work(createLog({ level: 'trace', secrets: [canary, 'pw'], write, plain }))
  return output
}

test('a secret is masked wherever it stands: message, field, key, error, stack, cause', () => {
  const error = new Error(`GET https://host/bot${canary}/getMe failed`, { cause: new Error(canary) })
  const output = record((log) => {
    log.info(`token ${canary}`)
    log.info({ nested: { list: [canary], [canary]: 1 } }, 'fields')
    log.error({ error }, 'failed')
  })
  expect(output).not.toContain('canary')
  expect(output.match(/\[masked\]/g)?.length).toBeGreaterThanOrEqual(6)
})

test('what is no secret is written as it is', () => {
  expect(record((log) => log.info({ place: 'C024BE91L' }, 'token of no value'))).toContain('C024BE91L')
})

test('a secret is masked in the forms it takes on its way', () => {
  const bytes = Buffer.from(canary)
  for (const form of [
    encodeURIComponent(canary),
    bytes.toString('base64'),
    bytes.toString('hex'),
    JSON.stringify(canary),
  ])
    expect(record((log) => log.info(`value ${form} end`))).not.toContain(form.slice(1, -3))
})

test('what stands under a name for secrets is not written, even if nobody declared it', () => {
  const output = record((log) => log.info({ headers: { authorization: 'Bearer undeclared' }, password: 'undeclared' }))
  expect(output).not.toContain('undeclared')
})

test("a database's password is masked in an address, however short it is", () => {
  const output = record((log) => log.info('cannot reach postgresql://me:pw@host:5432/name'))
  expect(output).toContain('postgresql://me:[masked]@host:5432/name')
})

test('every line stays JSON, with or without a secret in it', () => {
  const lines = record((log) => {
    log.info({ number: 12 }, 'plain')
    log.info({ value: canary }, 'masked "quotes"')
  })
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines).toMatchObject([
    { level: 'info', number: 12, msg: 'plain' },
    { level: 'info', value: '[masked]', msg: 'masked "quotes"' },
  ])
})

test('a person at a terminal gets one line of text, masked as well', () => {
  const output = record((log) => log.warn({ attempt: 3 }, `no answer for ${canary}`), true)
  expect(output).toMatch(/^\d\d:\d\d:\d\d warn {2}no answer for \[masked\] attempt=3\n$/)
})
