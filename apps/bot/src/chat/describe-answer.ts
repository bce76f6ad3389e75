import { type AnswerResult, describeClosed, type QuestionCard } from '@quartermaster/db'

const sentences = {
  'not-found': 'There is no such question any more.',
  expired: 'The time for an answer is over.',
  'not-entitled': 'You may not answer this.',
  changed: 'What would run has changed since this card was shown. Look at it again before you decide.',
  'already-answered': 'You have answered this already.',
}

/** What the person who answered is told, alone. */
export function describeAnswer(result: AnswerResult, card: QuestionCard | null): string {
  if (result.ok) {
    if (result.closed) return card?.closed ? `${card.closed.sentence}.` : 'Answered.'
    return `Counted. ${result.remaining} more must approve.`
  }
  if (result.reason === 'closed') return `Too late. ${describeClosed(result.closed)}.`
  if (result.reason === 'not-offered' || result.reason === 'invalid-edit') return result.problems.join(' ')
  if (result.reason === 'not-entitled' && card) return `You may not answer this. These may: ${card.whoMayAnswer}.`
  return sentences[result.reason]
}
