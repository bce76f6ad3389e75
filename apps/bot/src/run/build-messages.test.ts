import type { TranscriptMessage } from '@quartermaster/db'
import { expect, test } from 'vitest'
import { buildMessages } from './build-messages.ts'
import { findNext } from './find-next.ts'

const text = (words: string) => [{ type: 'text', text: words }]
const use = (id: string) => ({ type: 'tool_use', id, name: 'x', input: {} })
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: id })
const user = (number: number, words: string): TranscriptMessage => ({
  number,
  role: 'user',
  content: text(words),
  runId: 'run',
  turn: null,
})
const assistant = (
  number: number,
  content: unknown[],
  seen = number - 1,
  stopReason = 'end_turn',
): TranscriptMessage => ({
  number,
  role: 'assistant',
  content,
  runId: 'run',
  turn: { seen, stopReason, contextStep: 0 },
})
const tool = (number: number, content: unknown[]): TranscriptMessage => ({
  number,
  role: 'tool',
  content,
  runId: 'run',
  turn: null,
})
const shape = (messages: TranscriptMessage[]) =>
  buildMessages(messages).map(({ role, content }) => [
    role,
    ...(content as { type: string; text?: string; tool_use_id?: string; id?: string }[]).map(
      (block) => block.text ?? block.tool_use_id ?? block.id,
    ),
  ])

test('what people wrote while the model answered comes after that answer', () => {
  const messages = [user(1, 'a'), user(2, 'b'), assistant(3, text('to a'), 1)]
  expect(shape(messages)).toEqual([
    ['user', 'a'],
    ['assistant', 'to a'],
    ['user', 'b'],
  ])
  expect(findNext(messages, 'run')).toEqual({ kind: 'ask-model', reason: 'said' })
})

test('results come first in the turn after their uses, whatever people wrote meanwhile', () => {
  const messages = [user(1, 'a'), user(2, 'b'), assistant(3, [use('u')], 1), user(4, 'c'), tool(5, [result('u')])]
  expect(shape(messages)).toEqual([
    ['user', 'a'],
    ['assistant', 'u'],
    ['user', 'u', 'b', 'c'],
  ])
})

test('a call is settled before people are answered who wrote after it was asked for', () => {
  const messages = [user(1, 'a'), assistant(2, [use('u')]), user(3, 'b')]
  expect(findNext(messages, 'run')).toMatchObject({ kind: 'settle', answer: { number: 2 } })
  expect(findNext(messages, 'another run')).toEqual({ kind: 'ask-model', reason: 'said' })
})

test('nothing is done of an answer that was broken off with a refusal', () => {
  const refused = assistant(2, [use('u')], 1, 'refusal')
  expect(findNext([user(1, 'a'), refused], 'run')).toMatchObject({ kind: 'end', answer: { number: 2 } })
  expect(findNext([user(1, 'a'), refused, user(3, 'b')], 'run')).toEqual({ kind: 'ask-model', reason: 'said' })
})

test('a use without a result is answered, and a result without its use is left out', () => {
  expect(shape([user(1, 'a'), assistant(2, [use('u')]), user(3, 'b')])).toEqual([
    ['user', 'a'],
    ['assistant', 'u'],
    ['user', 'u', 'b'],
  ])
  expect(shape([tool(4, [result('gone')]), user(5, 'b')])).toEqual([['user', 'b']])
})

test('the halves of an answer that paused are one; an answer that was cut is asked to go on, once', () => {
  const paused = [user(1, 'a'), assistant(2, text('one'), 1, 'pause_turn')]
  expect(findNext(paused, 'run')).toEqual({ kind: 'ask-model', reason: 'paused' })
  expect(shape([...paused, assistant(3, text('two'), 2)])).toEqual([
    ['user', 'a'],
    ['assistant', 'one', 'two'],
  ])
  const cut = [user(1, 'a'), assistant(2, text('one'), 1, 'max_tokens')]
  expect(findNext(cut, 'run')).toEqual({ kind: 'ask-model', reason: 'cut' })
  expect(shape(cut)).toEqual([
    ['user', 'a'],
    ['assistant', 'one'],
    ['user', 'Your answer was cut. Go on exactly where it stopped.'],
  ])
  const again = [...cut, assistant(3, text('two'), 2, 'max_tokens')]
  expect(shape(again)[2]).toEqual(['user', 'Your answer was cut. Go on exactly where it stopped.'])
  expect(findNext(again, 'run')).toMatchObject({ kind: 'end', answer: { number: 3 } })
})

test('a run is done when nothing came after the last answer, and one with nothing to answer is done at once', () => {
  expect(findNext([user(1, 'a'), assistant(2, text('b'))], 'run')).toMatchObject({ kind: 'end', answer: { number: 2 } })
  expect(findNext([user(1, 'a'), assistant(2, text('b'))], 'another run')).toEqual({ kind: 'end', answer: null })
})
