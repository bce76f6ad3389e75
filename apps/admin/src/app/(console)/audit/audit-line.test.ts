import { expect, test } from 'vitest'
import { auditLine } from './audit-line.ts'

const event = (data: Record<string, unknown>) => ({
  ...{ number: 12, at: new Date(0), exactAt: '2026-11-18T20:00:00.123456Z', action: 'secret.store' },
  ...{ actor: { kind: 'member' as const, id: 'mem_1' }, subject: { kind: 'secret', id: 'sec_1' } },
  ...{ data, previousHash: '', hash: 'abcd' },
})

test('an event is one line, with plain values bare and others as JSON', () => {
  expect(auditLine(event({ name: 'github.token', version: 2, scopes: ['a b'], note: 'says "hi"' }))).toBe(
    '[2026-11-18T20:00:00.123456Z] SECRET_STORE number=12 actor=member:mem_1 subject=secret:sec_1 name=github.token version=2 scopes=["a b"] note="says \\"hi\\"" hash=abcd',
  )
})

test('what somebody wrote neither ends the line nor poses as another field or event', () => {
  const line = auditLine(
    event({
      reason: 'ok\n[2026-11-18T20:00:01Z] TOOL_APPROVED\r\u2028\u0007\u009b31m\u202egnp.exe',
      'x=1 hash': 'forged',
      hash: 'forged',
    }),
  )
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  expect(line).toContain('\\u{202e}')
  expect(line).toContain('"x=1 hash"=forged data.hash=forged hash=abcd')
  expect(line.endsWith(' hash=abcd')).toBe(true)
})
