// Asks the people in the conversation. The call waits as a question, at no cost, and goes on with the answer.
import { type Answer, failed, succeeded, type ToolQuestion, type ToolResult } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'

const option = { type: 'string', minLength: 1, maxLength: 200 } as const
const options = { type: 'array', items: option, minItems: 2, maxItems: 100, uniqueItems: true } as const
const question = { type: 'string', minLength: 1, maxLength: 3_000 } as const

export const askUserTool = defineTool({
  name: 'ask_user',
  title: 'Ask a person',
  description: `Asks the user and waits for the answer. Use it instead of guessing a preference or a decision.
Always give options where the possible answers are finite (yes or no, which file, which target, which approach): 2 to 5 clear, distinct choices become buttons, more become a menu. Leave options out only for truly open-ended input, which the user writes in the thread.
Several questions at once: give them in questions, and in question what they are about.`,
  category: 'people',
  groups: ['people'],
  effect: 'read',
  hook: 'silent',
  idempotent: true,
  eagerInputStreaming: true,
  inputSchema: {
    type: 'object',
    properties: {
      question: { ...question, description: 'What to ask; with questions, what they are about' },
      options: { ...options, description: 'The answers to choose from: 2 to 5 if possible' },
      multiple: {
        type: 'boolean',
        default: false,
        description: 'Several of the options may be chosen (default false)',
      },
      confirm: {
        type: 'boolean',
        default: false,
        description: 'A question to be answered by Yes or No (default false)',
      },
      questions: {
        type: 'array',
        minItems: 1,
        maxItems: 10,
        description: 'Several questions, shown as tabs and answered together',
        items: {
          type: 'object',
          properties: {
            question: { ...question, description: 'What to ask on this tab' },
            header: {
              type: 'string',
              minLength: 1,
              maxLength: 40,
              description: 'The title of the tab, in a word or two',
            },
            options: { ...options, description: 'The answers to choose from; without them, free text' },
            multiple: { type: 'boolean', default: false, description: 'Several may be chosen (default false)' },
          },
          required: ['question'],
          additionalProperties: false,
        },
      },
    },
    required: ['question'],
    additionalProperties: false,
  },
  execute: async (args, { interactive }) => {
    const problem = problemOf(args)
    if (problem) return failed(problem)
    // Nobody is there (a schedule, a program): the model must decide by itself, or say what it needed to know.
    if (!interactive) return failed('Interactive input not available')
    return { suspend: questionOf(args) }
  },
  resume: async (args, answer) => readAnswer(args, answer),
})

interface Tab {
  question: string
  header?: string
  options?: string[]
  multiple: boolean
}

interface Asked extends Tab {
  confirm: boolean
  questions?: Tab[]
}

const yesOrNo = ['Yes', 'No']

/** What the schema cannot say. */
function problemOf({ options, multiple, confirm, questions }: Asked): string | null {
  if (questions && (options || confirm || multiple))
    return 'With questions, each of them has its own options: leave out options, multiple and confirm beside them.'
  if (confirm && (options || multiple)) return 'A confirm is answered by Yes or No: leave out options and multiple.'
  if (multiple && !options) return 'multiple needs options to choose from.'
  const tab = questions?.findIndex((one) => one.multiple && !one.options) ?? -1
  return tab < 0 ? null : `questions[${tab}]: multiple needs options to choose from.`
}

function questionOf({ question, options, multiple, confirm, questions }: Asked): ToolQuestion {
  if (questions) {
    const tabs = questions.map((tab, index) => ({
      title: tab.header ?? `Question ${index + 1}`,
      question: tab.question,
      ...(tab.options && { options: tab.options, multiple: tab.multiple }),
    }))
    return { kind: 'form', title: question, tabs }
  }
  if (confirm) return { kind: 'choice', title: question, options: yesOrNo }
  if (options) return { kind: multiple ? 'multi_choice' : 'choice', title: question, options }
  return { kind: 'text', title: question, body: 'Reply in this thread.' }
}

function readAnswer(args: Asked, { verdict, value, reason }: Answer): ToolResult {
  if (verdict === 'deny') return failed(`The user did not answer${reason ? `: ${reason}` : '.'}`)
  if (!args.questions) {
    const answer = textOf({ ...args, ...(args.confirm && { options: yesOrNo }) }, value)
    return answer === null ? failed(unreadable) : succeeded(answer, { data: { answer: value } })
  }
  const values = Array.isArray(value) ? value : []
  const answers = args.questions.map((tab, index) => textOf(tab, values[index]))
  if (values.length !== answers.length || answers.includes(null)) return failed(unreadable)
  const lines = args.questions.map((tab, index) => `${tab.question}: ${answers[index]}`)
  return succeeded(lines.join('\n'), { data: { answers: values } })
}

const unreadable = 'The answer that came back is none of those that were offered. Ask again.'

/** The answer in words; null where it is none to this question. */
function textOf({ options, multiple }: Tab, value: unknown): string | null {
  if (!options || !multiple) {
    if (typeof value !== 'string' || value.trim() === '') return null
    return !options || options.includes(value) ? value : null
  }
  if (!Array.isArray(value) || value.length === 0 || !value.every((one) => options.includes(one))) return null
  return value.join(', ')
}
