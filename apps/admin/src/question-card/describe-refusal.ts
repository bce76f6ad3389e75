import type { AnswerResult } from '@quartermaster/db'
import { data } from '../data.ts'

const sentences = {
  'not-found': 'There is no such question.',
  expired: 'The time for an answer is over.',
  'not-entitled': 'You may not answer this. It stays open for those who may.',
  changed: 'What would run has changed since this card was shown. Look at it again.',
  'already-answered': 'You have answered this already.',
}

/** Why an answer did not count, for the person who gave it. */
export function describeRefusal(refusal: Extract<AnswerResult, { ok: false }>): string {
  if (refusal.reason === 'closed') return `Too late. ${data.describeClosed(refusal.closed)}.`
  if (refusal.reason === 'not-offered' || refusal.reason === 'invalid-edit') return refusal.problems.join(' ')
  return sentences[refusal.reason]
}
