import { describe, expect, test } from 'vitest'
import { type Answer, isSuspension, type ToolContext } from '../../contract.ts'
import { sampleContext } from '../../testing/sample-tools.ts'
import { describeToolContract } from '../../testing/tool-contract.ts'
import { compileSchema } from '../../validate.ts'
import { askUserTool } from './ask-user.ts'

describeToolContract(askUserTool, {
  validArguments: { question: 'Which?', options: ['red', 'green'] },
  invalidArguments: [
    { options: ['a', 'b'] },
    { question: '' },
    { question: 'Which?', options: [] },
    { question: 'Which?', options: ['only one'] },
    { question: 'Which?', options: ['twice', 'twice'] },
    { question: 'Which?', options: ['a', ''] },
    { question: 'About', questions: [] },
    { question: 'About', questions: [{ header: 'No question' }] },
  ],
})

type Arguments = Parameters<typeof askUserTool.execute>[0]

/** As the executor gives them: valid, with defaults. */
function parse(args: object): Arguments {
  const validation = compileSchema(askUserTool.inputSchema).validate(args)
  if (!validation.ok) throw new Error(JSON.stringify(validation.violations))
  return validation.value as Arguments
}

async function ask(args: object, context: Partial<ToolContext> = {}) {
  const result = await askUserTool.execute(parse(args), sampleContext(context))
  return isSuspension(result) ? result.suspend : result
}

const resume = (args: object, answer: Partial<Answer>) =>
  askUserTool.resume!(parse(args), { verdict: 'approve', memberId: 'member-1', ...answer }, sampleContext())

describe('what is asked', () => {
  test('options are a choice, and several of them where that was asked', async () => {
    const choice = { question: 'Deploy where?', options: ['staging', 'production'] }
    expect(await ask(choice)).toEqual({ kind: 'choice', title: 'Deploy where?', options: ['staging', 'production'] })
    expect(await ask({ ...choice, multiple: true })).toMatchObject({ kind: 'multi_choice' })
  })

  test('confirm is a choice of Yes and No', async () => {
    expect(await ask({ question: 'Go on?', confirm: true })).toEqual({
      kind: 'choice',
      title: 'Go on?',
      options: ['Yes', 'No'],
    })
  })

  test('without options the answer is written in the thread', async () => {
    expect(await ask({ question: 'What is it called?' })).toEqual({
      kind: 'text',
      title: 'What is it called?',
      body: 'Reply in this thread.',
    })
  })

  test('several questions are a form with one tab each', async () => {
    const questions = [
      { question: 'Which plan?', header: 'Plan', options: ['free', 'team'] },
      { question: 'Which days?', options: ['Mon', 'Tue'], multiple: true },
      { question: 'Anything else?' },
    ]
    expect(await ask({ question: 'The order', questions })).toEqual({
      kind: 'form',
      title: 'The order',
      tabs: [
        { title: 'Plan', question: 'Which plan?', options: ['free', 'team'], multiple: false },
        { title: 'Question 2', question: 'Which days?', options: ['Mon', 'Tue'], multiple: true },
        { title: 'Question 3', question: 'Anything else?' },
      ],
    })
  })

  test('nobody is asked where nobody can answer', async () => {
    expect(await ask({ question: 'Which?' }, { interactive: false })).toMatchObject({
      success: false,
      error: 'Interactive input not available',
    })
  })

  test.each([
    [{ question: 'a', options: ['x', 'y'], questions: [{ question: 'b' }] }, 'each of them has its own options'],
    [{ question: 'a', confirm: true, options: ['x', 'y'] }, 'answered by Yes or No'],
    [{ question: 'a', multiple: true }, 'multiple needs options'],
    [{ question: 'a', questions: [{ question: 'b' }, { question: 'c', multiple: true }] }, 'questions[1]: multiple'],
  ])('arguments that contradict each other are a clear error: %j', async (args, words) => {
    expect(await ask(args)).toMatchObject({ success: false, error: expect.stringContaining(words) })
  })
})

describe('what the model reads', () => {
  const choice = { question: 'Which?', options: ['red', 'green'] }

  test('the chosen option, or all of them', async () => {
    expect(await resume(choice, { value: 'red' })).toMatchObject({ success: true, output: 'red' })
    const several = { ...choice, multiple: true }
    expect(await resume(several, { value: ['red', 'green'] })).toMatchObject({ output: 'red, green' })
    expect(await resume({ question: 'Go on?', confirm: true }, { value: 'No' })).toMatchObject({ output: 'No' })
  })

  test('what was written', async () => {
    expect(await resume({ question: 'Name?' }, { value: 'Ada' })).toMatchObject({ success: true, output: 'Ada' })
  })

  test('each question of a form with its answer', async () => {
    const form = {
      question: 'The order',
      questions: [{ question: 'Which days?', options: ['Mon', 'Tue'], multiple: true }, { question: 'Anything else?' }],
    }
    expect(await resume(form, { value: [['Mon', 'Tue'], 'No'] })).toMatchObject({
      output: 'Which days?: Mon, Tue\nAnything else?: No',
      data: { answers: [['Mon', 'Tue'], 'No'] },
    })
    expect(await resume(form, { value: [['Mon', 'Tue']] })).toMatchObject({ success: false })
  })

  test.each(['blue', '', undefined, ['red'], 7])('an answer that was not offered is none: %j', async (value) => {
    expect(await resume(choice, { value })).toMatchObject({ success: false, error: expect.stringContaining('none of') })
  })

  test('that nobody answered, and why', async () => {
    expect(await resume(choice, { verdict: 'deny', reason: 'Nobody answered in time.' })).toMatchObject({
      success: false,
      error: 'The user did not answer: Nobody answered in time.',
    })
    expect(await resume(choice, { verdict: 'deny' })).toMatchObject({ error: 'The user did not answer.' })
  })
})
