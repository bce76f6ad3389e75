import { expect, test } from 'vitest'
import { resolveModelName, resolveModelSize } from './tiers.ts'

test('a tier becomes the model that it stands for, and a model keeps its own name', () => {
  expect(resolveModelName('fast')).toBe('claude-haiku-5-5')
  expect(resolveModelName('balanced')).toBe('claude-sonnet-5-5')
  expect(resolveModelName('deep')).toBe('claude-opus-5-5')
  expect(resolveModelName('my-own-model')).toBe('my-own-model')
})

test('the tiers of a workspace win over the defaults', () => {
  const tiers = { fast: 'a', balanced: 'b', deep: 'c' }
  expect(resolveModelName('deep', tiers)).toBe('c')
})

test('a name that every object has is a model like any other', () => {
  expect(resolveModelName('constructor')).toBe('constructor')
  expect(resolveModelName('__proto__')).toBe('__proto__')
})

test('a model nobody listed is taken to be small, a snapshot of a known one is as large as that', () => {
  expect(resolveModelSize('claude-opus-5-5').contextTokens).toBe(1_000_000)
  expect(resolveModelSize('claude-opus-5-5-20261001').contextTokens).toBe(1_000_000)
  expect(resolveModelSize('claude-opus-5-5-mini').contextTokens).toBe(200_000)
  expect(resolveModelSize('local-7b')).toEqual({ contextTokens: 200_000, outputTokens: 32_000 })
})
