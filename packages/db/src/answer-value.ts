// Whether what somebody chose or wrote is an answer to the question: a button's payload can say anything, so a value
// that was not offered is refused, and consumes nothing.
import { limits } from './limits.ts'
import { optionsOf, parsePrompt, type QuestionTab } from './question-prompt.ts'
import type { QuestionKind } from './questions.ts'

/** A sentence for whoever answered; null: it is one. */
export function problemOfValue(kind: QuestionKind, promptJson: unknown, value: unknown): string | null {
  const prompt = parsePrompt(promptJson)
  switch (kind) {
    // A yes or no. What else comes with it (feedback on a plan) is not chosen from anything.
    case 'confirmation':
    case 'plan':
      return null
    case 'choice':
    case 'budget':
      return problemOfChoice(optionsOf(kind, prompt), value)
    case 'multi_choice':
      return problemOfChoices(optionsOf(kind, prompt), value)
    case 'text':
      return problemOfText(value)
    case 'form':
      return problemOfForm(prompt.tabs, value)
  }
}

function problemOfChoice(options: readonly string[], value: unknown): string | null {
  return options.some((option) => option === value) ? null : `Choose one of: ${options.join(', ')}.`
}

function problemOfChoices(options: readonly string[], value: unknown): string | null {
  if (!Array.isArray(value) || value.length === 0) return 'Choose at least one.'
  if (new Set(value).size !== value.length) return 'Choose each only once.'
  return value.every((one) => options.includes(one)) ? null : `Choose from: ${options.join(', ')}.`
}

function problemOfText(value: unknown): string | null {
  if (typeof value !== 'string' || value.trim() === '') return 'Write an answer.'
  return value.length > limits.answerCharacters
    ? `The answer is too long: ${limits.answerCharacters} characters are the most.`
    : null
}

/** One entry a tab, in their order. */
function problemOfForm(tabs: readonly QuestionTab[], value: unknown): string | null {
  if (!Array.isArray(value) || value.length !== tabs.length) return `Answer all ${tabs.length} questions.`
  for (const [index, { title, options, multiple }] of tabs.entries()) {
    const one = value[index]
    const problem = !options
      ? problemOfText(one)
      : multiple
        ? problemOfChoices(options, one)
        : problemOfChoice(options, one)
    if (problem) return `${title}: ${problem}`
  }
  return null
}
