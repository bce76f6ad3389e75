import type { Decision, Policy } from '@quartermaster/tools'
import { Search } from 'lucide-react'
import type { Metadata } from 'next'
import Form from 'next/form'
import { Button } from '../../../../components/button.tsx'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { EmptyState } from '../../../../components/empty-state.tsx'
import { Field, fieldProps } from '../../../../components/field.tsx'
import { Input, Select, TextArea } from '../../../../components/input.tsx'
import { Tag } from '../../../../components/tag.tsx'
import { Trail } from '../../../../components/trail.tsx'
import { compilePolicy, withContent } from '../../../../policy/compile-policy.ts'
import { describeApproval } from '../../../../policy/describe-rule.ts'
import { type PlaceOfReason, placeOfReason } from '../../../../policy/place-of-reason.ts'
import { type PolicyView, readPolicyView } from '../../../../policy/read-policy.ts'
import { contextOfAgent } from '../../../../policy/replay.ts'
import { requireMember } from '../../../../session.ts'
import { Frame } from '../frame.tsx'

export const metadata: Metadata = { title: 'Explain a call' }

const tones = { allow: 'ok', ask: 'wait', deny: 'bad' } as const

interface Asked {
  agent: string
  tool: string
  args: string
}

/** A call that nobody made: what the policy would say to it, and why. The question is in the address. */
export default async function ExplainPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>
}) {
  const view = await readPolicyView(await requireMember('viewer'))
  const given = await searchParams
  const text = (name: string) => (typeof given[name] === 'string' ? given[name].slice(0, 20_000) : '')
  const asked = { agent: text('agent'), tool: text('tool').trim(), args: text('args').trim() || '{}' }
  const agents = view.agents.filter(({ archived }) => !archived)
  const { mistakes, answers } = asked.tool ? await answer(view, asked) : { mistakes: {}, answers: [] as Answered[] }
  const toolId = view.tools.ids.get(answers[0]?.tool ?? '') ?? null
  const placeOf = (entry: Decision['trail'][number]) =>
    placeOfReason(entry, { agentId: asked.agent, toolId, rules: view.content.rules })
  return (
    <Frame view={view} chosen="/policies/explain">
      <Card aria-labelledby="explain">
        <CardHeader id="explain" title="Explain a call" about="Nothing is run: the policy is asked, and says why." />
        <Form action="/policies/explain" className="grid gap-4 px-4 pt-2 pb-4">
          <div className="grid gap-4 sm:grid-cols-2">
            <Field id="agent" label="Agent" mistake={mistakes.agent}>
              <Select {...fieldProps('agent', mistakes.agent)} defaultValue={asked.agent} key={asked.agent}>
                {agents.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </Select>
            </Field>
            <Field id="tool" label="Tool" mistake={mistakes.tool}>
              <Input
                {...fieldProps('tool', mistakes.tool)}
                defaultValue={asked.tool}
                key={asked.tool}
                list="explain-tools"
                placeholder="shell.exec"
                autoComplete="off"
                spellCheck={false}
                className="font-mono"
              />
            </Field>
          </div>
          <Field id="args" label="Arguments" hint="A JSON object." mistake={mistakes.args}>
            <TextArea
              {...fieldProps('args', mistakes.args)}
              rows={2}
              defaultValue={asked.args}
              key={asked.args}
              spellCheck={false}
              className="font-mono"
            />
          </Field>
          <Button type="submit" look="primary" className="w-fit max-sm:h-10">
            Explain
          </Button>
          <datalist id="explain-tools">
            {view.tools.list().map(({ name }) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </Form>
      </Card>
      {answers.length === 0 && Object.keys(mistakes).length === 0 && (
        <EmptyState icon={Search} title="Which call?">
          Choose an agent and a tool, and write down the arguments: shell.exec with {'{ "command": "git push" }'}.
        </EmptyState>
      )}
      <div className={answers.length > 1 ? 'grid items-start gap-3 lg:grid-cols-2' : 'grid gap-3'}>
        {answers.map(({ by, decision }) => (
          <Answer key={by} by={by} decision={decision} placeOf={placeOf} />
        ))}
      </div>
    </Frame>
  )
}

interface Answered {
  by: string
  tool: string
  decision: Decision
}

async function answer(view: PolicyView, asked: Asked) {
  const args = parseObject(asked.args)
  const agent = view.agents.find(({ id }) => id === asked.agent)
  const tool = view.tools
    .list()
    .find(({ name, aliases }) => name === asked.tool || aliases?.some((alias) => alias.name === asked.tool))
  const mistakes: { agent?: string; tool?: string; args?: string } = {
    ...(agent ? {} : { agent: 'Expected an agent of this workspace.' }),
    ...(tool ? {} : { tool: `There is no tool “${asked.tool}”.` }),
    ...(args ? {} : { args: 'Expected a JSON object, such as { "command": "git push" }.' }),
  }
  if (!agent || !tool || !args) return { mistakes, answers: [] as Answered[] }
  const context = await contextOfAgent(view.stored, agent.id)
  const by = (name: string, policy: Policy): Answered => ({
    by: name,
    tool: tool.name,
    decision: policy.decide(tool, args, context),
  })
  const answers = [by('Live', compilePolicy(view.stored, view.installation))]
  if (view.draft)
    answers.push(by('Draft', compilePolicy(withContent(view.stored, view.draft.content), view.installation)))
  return { mistakes, answers }
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null // The page says what was expected.
  }
}

interface AnswerProps {
  by: string
  decision: Decision
  placeOf(entry: Decision['trail'][number]): PlaceOfReason | null
}

function Answer({ by, decision, placeOf }: AnswerProps) {
  return (
    <Card aria-label={`By the ${by.toLowerCase()} policy`}>
      <CardHeader title={`By the ${by.toLowerCase()} policy`}>
        <Tag tone={tones[decision.verdict]}>{decision.verdict}</Tag>
      </CardHeader>
      <ol className="grid gap-1.5 px-4 pt-1 pb-3">
        <Trail trail={decision.trail.map((entry) => ({ ...entry, place: placeOf(entry) }))} />
      </ol>
      {decision.approval && (
        <p className="border-line border-t px-4 py-2 text-ink-3 text-xs">
          {describeApproval(decision.approval as Parameters<typeof describeApproval>[0]).join(' · ')}
        </p>
      )}
    </Card>
  )
}
