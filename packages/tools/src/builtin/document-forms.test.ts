// Every builtin tool, and every alias of it, takes the arguments of its document: with the required ones alone, with each
// optional one, with all of them, and not without a required one. What the tool gets has our names.
import { expect, test } from 'vitest'
import { type AnyTool, succeeded } from '../contract.ts'
import { testCaller, testExecutor } from '../executor/testing.ts'
import { describeBuiltinTools } from './describe-builtin-tools.ts'
import { type DocumentForm, documentForms } from './document-forms.ts'

const tools = new Map(describeBuiltinTools().map((tool) => [tool.name, tool]))

/** Says what it was given. Only this tool is there: an alias that two have means each of them. */
const executorOf = ({ tool }: DocumentForm) => {
  const { complete: _moment, ...described } = tools.get(tool) as AnyTool
  const telling: AnyTool = { ...described, execute: async (args) => succeeded('taken', { data: args }) }
  const config = { profile: 'full', hooks: [{ pattern: '*', hook: 'silent' as const }] }
  const { finish } = testExecutor([telling], { config })
  const caller = { policy: { ...testCaller.policy, attachments: [tool] } }
  return { finish: (name: string, args: unknown) => finish(name, args, {}, caller) }
}

const underOurNames = ({ renamed = {} }: DocumentForm, args: object) =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [renamed[name] ?? name, value]))

test('there is a form of every tool and of every alias', () => {
  const wanted = [...tools.values()].flatMap(({ name, aliases = [] }) => [
    `${name} as ${name}`,
    ...aliases.map((alias) => `${name} as ${alias.name} of ${alias.system}`),
  ])
  const described = new Set(
    documentForms.map(({ tool, name, document }) => `${tool} as ${name}${tool === name ? '' : ` of ${document}`}`),
  )
  expect(wanted.filter((each) => !described.has(each))).toEqual([])
  expect([...described].filter((each) => !wanted.includes(each))).toEqual([])
})

test.each(documentForms)('$tool takes the form of $name ($document)', async (form) => {
  const { finish } = executorOf(form)
  const { required, optional } = form
  const given = [
    required,
    ...Object.entries(optional).map(([name, value]) => ({ ...required, [name]: value })),
    { ...required, ...optional },
  ]
  for (const args of given) {
    const outcome = await finish(form.name, args)
    expect(outcome, JSON.stringify(args)).toMatchObject({ success: true, data: underOurNames(form, args) })
  }
})

const withRequired = documentForms.filter(({ tool, required }) => {
  const { required: names = [] } = (tools.get(tool) as AnyTool).inputSchema as { required?: string[] }
  return names.length > 0 && Object.keys(required).length > 0
})

test.each(withRequired)('$tool as $name ($document) is not taken without what it needs', async (form) => {
  const { finish } = executorOf(form)
  for (const name of Object.keys(form.required)) {
    const { [name]: _gone, ...rest } = form.required
    expect(await finish(form.name, rest), name).toMatchObject({ success: false, code: 'invalid_arguments' })
  }
  expect(await finish(form.name, { ...form.required, nonsense: 1 })).toMatchObject({ code: 'invalid_arguments' })
})
