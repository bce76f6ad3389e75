import type { StepCall } from '@quartermaster/db'
import { expect, test } from 'vitest'
import { resultOfCall } from './tool-result.ts'

const row: StepCall = {
  id: 'call_1',
  toolUseId: 'toolu_1',
  toolName: 'file.write',
  arguments: { path: 'b.txt' },
  argumentsDigest: 'd',
  status: 'succeeded',
  output: 'written',
  error: null,
  answer: null,
  editedBy: 'Ada',
  openQuestionId: null,
}
const note = 'Ada changed this call before approving it'

test('the model is told of an edit also where the call ended under a claim that is lost, or was interrupted', () => {
  expect(resultOfCall(row).content).toBe(
    `[${note}. These arguments took the place of yours: {"path":"b.txt"}]\n\nwritten`,
  )
  const interrupted = resultOfCall({ ...row, status: 'interrupted', output: null, error: 'The process was lost.' })
  expect(interrupted.is_error).toBe(true)
  expect(interrupted.content).toContain(note)
  expect(interrupted.content).toContain('The process was lost.')
})

test('of a call that was denied after the edit, or that nobody edited, nothing of the kind is said', () => {
  expect(resultOfCall({ ...row, status: 'denied', output: null, error: 'Bob denied this.' }).content).toBe(
    'Error: Bob denied this.',
  )
  expect(resultOfCall({ ...row, editedBy: null }).content).toBe('written')
})

test('arguments that are very long are told by their beginning and their length', () => {
  const { content } = resultOfCall({ ...row, arguments: { text: 'x'.repeat(50_000) } })
  expect(content.length).toBeLessThan(11_000)
  expect(content).toContain('(50011 characters in all)')
})
