'use client'

import type { AgentConfiguration, Role } from '@quartermaster/db'
import type { KnownPattern } from '@quartermaster/tools'
import { type FormEvent, useMemo, useRef, useState, useTransition } from 'react'
import { toast } from 'sonner'
import { Button } from '../../../../../components/button.tsx'
import { Card, CardHeader } from '../../../../../components/card.tsx'
import { classNames } from '../../../../../components/class-names.ts'
import { Field, fieldProps } from '../../../../../components/field.tsx'
import { Input, Select, TextArea } from '../../../../../components/input.tsx'
import { saveAgent } from '../../actions.ts'
import { ApproverFields } from './approver-fields.tsx'
import { AutonomyFields } from './autonomy-fields.tsx'
import { type FormFields, isSameValue, toChange, toFields } from './form-fields.ts'
import { PatternField } from './pattern-field.tsx'

export interface FormMember {
  id: string
  name: string
  role: Role
}

interface ConfigurationFormProps {
  agentId: string
  seen: string
  configuration: AgentConfiguration
  mayEdit: boolean
  tiers: { name: string; model: string }[]
  providers: string[]
  profiles: { name: string; about: string }[]
  vocabulary: KnownPattern[]
  members: FormMember[]
}

/** `set` for one field; what it was when the person began with it stays known, for when somebody else changes it. */
export interface FieldsProps {
  fields: FormFields
  set: <Name extends keyof FormFields>(name: Name, value: FormFields[Name]) => void
  mistakes: Record<string, string>
}

export function ConfigurationForm(props: ConfigurationFormProps) {
  const { agentId, seen, configuration, mayEdit, tiers, providers, profiles, vocabulary, members } = props
  const stored = useMemo(() => toFields(configuration), [configuration])
  const [edits, edit] = useState<Partial<FormFields>>({})
  /** What stood in a field when the person began to change it. */
  const [began, begin] = useState<Partial<FormFields>>({})
  const [mistakes, setMistakes] = useState<Record<string, string>>({})
  const [message, say] = useState<string | null>(null)
  const [busy, start] = useTransition()
  const form = useRef<HTMLFormElement>(null)
  const fields: FormFields = { ...stored, ...edits }
  const touched = Object.keys(edits) as (keyof FormFields)[]
  const overtaken = touched.filter((name) => !isSameValue(stored[name], began[name]))

  const set: FieldsProps['set'] = (name, value) => {
    begin((before) => (name in before ? before : { ...before, [name]: stored[name] }))
    edit(({ [name]: _, ...others }) =>
      isSameValue(value, stored[name])
        ? (others as Partial<FormFields>)
        : { ...(others as Partial<FormFields>), [name]: value },
    )
  }
  const forget = () => {
    edit({})
    begin({})
    setMistakes({})
    say(null)
  }
  const save = (event: FormEvent) => {
    event.preventDefault()
    const sent = new FormData()
    sent.set('agentId', agentId)
    sent.set('seen', seen)
    sent.set('change', JSON.stringify(toChange(edits, fields)))
    start(async () => {
      const result = await saveAgent(null, sent)
      if (result.ok) {
        forget()
        toast.success(result.message)
        return
      }
      const wrong = Object.fromEntries(
        Object.entries(result.fields ?? {}).map(([path, text]) => [path.replace(/^budgets\./, ''), text]),
      )
      setMistakes(wrong)
      say(Object.keys(wrong).length ? null : result.message)
      // After the mistakes are drawn: there they are read out, and can be mended at once.
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
    })
  }
  const given = { fields, set, mistakes }
  const profile = profiles.find(({ name }) => name === fields.profile)
  const isTier = tiers.some(({ name }) => name === fields.model)
  const [ownModel, setOwnModel] = useState(!isTier)
  const showsOwn = ownModel || !isTier

  return (
    <form ref={form} onSubmit={save}>
      <fieldset disabled={!mayEdit} className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-3">
        <legend className="sr-only">Configuration</legend>
        <Card aria-labelledby="mind">
          <CardHeader id="mind" title="Model and instructions" about="A run keeps those that it began with." />
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4 px-4 pt-2 pb-4">
            <div className="grid items-start gap-4 sm:grid-cols-3">
              <Field id="tier" label="Model" hint={tiers.find(({ name }) => name === fields.model)?.model}>
                <Select
                  {...fieldProps('tier')}
                  value={showsOwn ? 'own' : fields.model}
                  onChange={({ target }) => {
                    setOwnModel(target.value === 'own')
                    set('model', target.value === 'own' ? '' : target.value)
                  }}
                >
                  {tiers.map(({ name }) => (
                    <option key={name} value={name}>
                      {tierWords[name] ?? name}
                    </option>
                  ))}
                  <option value="own">A model by its own name</option>
                </Select>
              </Field>
              {showsOwn && (
                <Field id="model" label="Name of the model" hint="As its provider calls it." mistake={mistakes.model}>
                  <Input
                    {...fieldProps('model', mistakes.model)}
                    value={fields.model}
                    onChange={({ target }) => set('model', target.value)}
                    placeholder="claude-opus-5-5"
                    autoComplete="off"
                    spellCheck={false}
                    className="font-mono"
                  />
                </Field>
              )}
              <Field
                id="provider"
                label="Provider"
                hint="Its layer of the policy narrows the tools."
                mistake={mistakes.provider}
              >
                <Select
                  {...fieldProps('provider', mistakes.provider)}
                  value={fields.provider}
                  onChange={({ target }) => set('provider', target.value)}
                >
                  {[...new Set([...providers, fields.provider])].map((name) => (
                    <option key={name}>{name}</option>
                  ))}
                </Select>
              </Field>
            </div>
            <Field
              id="instructions"
              label="Instructions"
              hint={`${fields.instructions.length.toLocaleString('en')} characters, about ${Math.ceil(fields.instructions.length / 4).toLocaleString('en')} tokens with every call of the model.`}
              mistake={mistakes.instructions}
            >
              <TextArea
                {...fieldProps('instructions', mistakes.instructions)}
                value={fields.instructions}
                onChange={({ target }) => set('instructions', target.value)}
                rows={Math.min(24, Math.max(10, fields.instructions.split('\n').length + 2))}
                placeholder="You help whoever is on call. Look before you act…"
                className="leading-relaxed"
              />
            </Field>
          </div>
        </Card>

        <Card aria-labelledby="rights">
          <CardHeader
            id="rights"
            title="What it may do"
            about="The workspace’s policy comes first; this narrows it for this agent and never widens it."
          />
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4 px-4 pt-2 pb-4">
            <div className="grid items-start gap-4 sm:grid-cols-3">
              <Field id="profile" label="Profile" hint={profile?.about || undefined} mistake={mistakes.profile}>
                <Select
                  {...fieldProps('profile', mistakes.profile)}
                  value={fields.profile}
                  onChange={({ target }) => set('profile', target.value)}
                >
                  {!profile && <option value={fields.profile}>{fields.profile} (not there any more)</option>}
                  {profiles.map(({ name }) => (
                    <option key={name}>{name}</option>
                  ))}
                </Select>
              </Field>
              <PatternField
                {...given}
                name="toolsAllow"
                label="Also allow"
                hint="Beside the profile."
                vocabulary={vocabulary}
              />
              <PatternField
                {...given}
                name="toolsDeny"
                label="Deny"
                hint="Whatever else says: a deny wins."
                vocabulary={vocabulary}
              />
            </div>
            <AutonomyFields {...given} />
          </div>
        </Card>

        <Card aria-labelledby="approvers">
          <CardHeader
            id="approvers"
            title="Who approves"
            about="When a call of it asks. A rule of the policy that asks can say otherwise."
          />
          <ApproverFields {...given} members={members} />
        </Card>

        <Card aria-labelledby="budgets">
          <CardHeader
            id="budgets"
            title="Budgets"
            about="At 80 % people are told, at 100 % they are asked. Empty: no limit."
          />
          <div className="grid items-start gap-4 px-4 pt-2 pb-4 sm:grid-cols-4">
            {budgets.map(({ name, label, hint, unit }) => (
              <Field key={name} id={name} label={label} hint={hint} mistake={mistakes[name]}>
                <span className="relative block">
                  <Input
                    {...fieldProps(name, mistakes[name])}
                    value={fields[name]}
                    onChange={({ target }) => set(name, target.value)}
                    inputMode="decimal"
                    autoComplete="off"
                    placeholder="no limit"
                    className="pr-12 tabular-nums"
                  />
                  <span
                    aria-hidden="true"
                    className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 text-ink-3 text-xs"
                  >
                    {unit}
                  </span>
                </span>
              </Field>
            ))}
          </div>
        </Card>

        {mayEdit && (
          <div
            className={classNames(
              '-mx-1 flex flex-wrap items-center gap-x-3 gap-y-2 border-line bg-ground px-1 py-3',
              // It comes along as soon as there is something to save.
              touched.length > 0 && 'sticky bottom-0 z-10 border-t',
            )}
          >
            <Button type="submit" look="primary" disabled={busy || touched.length === 0} className="max-sm:h-10">
              {busy ? 'Saving…' : 'Save in the draft'}
            </Button>
            {touched.length > 0 && (
              <Button look="ghost" onClick={forget} className="max-sm:h-10">
                Undo my edits
              </Button>
            )}
            <p role="status" className="min-w-0 flex-1 text-ink-3 text-xs">
              {overtaken.length > 0
                ? `Meanwhile somebody changed ${overtaken.map((name) => words[name]).join(' and ')} too: saving puts yours in its place.`
                : touched.length > 0
                  ? `Changed here: ${touched.map((name) => words[name]).join(', ')}.`
                  : 'What is saved goes into the draft, and counts when that is published.'}
            </p>
            <p role="alert" className="w-full text-bad empty:hidden">
              {message}
            </p>
          </div>
        )}
      </fieldset>
    </form>
  )
}

const tierWords: Record<string, string> = {
  fast: 'Fast: quick and cheap',
  balanced: 'Balanced: for most work',
  deep: 'Deep: for hard questions',
}

const budgets = [
  { name: 'perRunUsd', label: 'One run', hint: 'From a message to its answer.', unit: 'USD' },
  { name: 'perDayUsd', label: 'A day', hint: 'All runs of this agent.', unit: 'USD' },
  { name: 'perPersonDayUsd', label: 'A person and day', hint: 'All that one person asks it for.', unit: 'USD' },
  { name: 'maxSteps', label: 'Steps of a run', hint: 'Calls of the model, with their tools.', unit: 'steps' },
  { name: 'perRunTokens', label: 'Tokens of a run', hint: 'Read and written together.', unit: 'tokens' },
  { name: 'perDayTokens', label: 'Tokens of a day', hint: 'Of all its runs.', unit: 'tokens' },
  { name: 'perPersonDayTokens', label: 'Tokens of a person and day', hint: 'Of all they ask it for.', unit: 'tokens' },
] as const

const words: Record<keyof FormFields, string> = {
  model: 'the model',
  provider: 'the provider',
  instructions: 'the instructions',
  profile: 'the profile',
  autonomy: 'the autonomy',
  toolsAllow: 'what is allowed',
  toolsDeny: 'what is denied',
  approvers: 'who approves',
  approvalsRequired: 'how many approve',
  perRunUsd: 'the budget of a run',
  perDayUsd: 'the budget of a day',
  perPersonDayUsd: 'the budget of a person',
  maxSteps: 'the steps of a run',
  perRunTokens: 'the tokens of a run',
  perDayTokens: 'the tokens of a day',
  perPersonDayTokens: 'the tokens of a person',
}
