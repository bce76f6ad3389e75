'use client'

import type { Approvers, Role } from '@quartermaster/db'
import { Field, fieldProps } from '../../../../../components/field.tsx'
import { Input, Select } from '../../../../../components/input.tsx'
import type { FieldsProps, FormMember } from './configuration-form.tsx'

const ranks: readonly Role[] = ['viewer', 'member', 'approver', 'admin', 'owner']

/** Who may answer, and how many must. What is left out of the rule is left to the workspace. */
export function ApproverFields({ fields, set, mistakes, members }: FieldsProps & { members: FormMember[] }) {
  const rule = fields.approvers
  const change = (patch: Partial<Approvers>) => {
    const next = Object.entries({ ...rule, ...patch }).filter(
      ([, value]) => value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0),
    )
    set('approvers', Object.fromEntries(next) as FieldsProps['fields']['approvers'])
  }
  const lowest = rule.roles?.length ? ranks.find((role) => rule.roles?.includes(role)) : undefined
  const entitled = members.filter((member) => isEntitled(rule, member)).length
  return (
    <div className="grid items-start gap-4 px-4 pt-2 pb-4 sm:grid-cols-3">
      <div className="grid gap-4">
        <Field id="role" label="Anybody with the role" hint="Or a higher one." mistake={mistakes.approvers}>
          <Select
            {...fieldProps('role', mistakes.approvers)}
            value={lowest ?? ''}
            onChange={({ target }) => change({ roles: target.value ? [target.value as Role] : undefined })}
          >
            <option value="">
              {rule.memberIds?.length || rule.requester ? 'Nobody by role' : 'As the workspace says'}
            </option>
            {ranks.slice(1).map((role) => (
              <option key={role} value={role}>
                {role}
              </option>
            ))}
          </Select>
        </Field>
        <Field
          id="approvalsRequired"
          label="How many must approve"
          hint={`Of ${entitled === 1 ? '1 person' : `${entitled} people`} now, by this rule. Empty: as the workspace says.`}
          mistake={
            mistakes.approvalsRequired ??
            (Number(fields.approvalsRequired) > entitled
              ? `Only ${entitled === 1 ? '1 person' : `${entitled} people`} may answer: nothing could be approved.`
              : undefined)
          }
        >
          <Input
            {...fieldProps('approvalsRequired', mistakes.approvalsRequired)}
            value={fields.approvalsRequired}
            onChange={({ target }) => set('approvalsRequired', target.value.trim())}
            inputMode="numeric"
            autoComplete="off"
            className="tabular-nums"
          />
        </Field>
      </div>
      <fieldset className="grid content-start gap-2">
        <legend className="mb-1.5 font-medium text-ink">And of those who asked</legend>
        <Check
          checked={rule.requester === true}
          onChange={(requester) => change({ requester, ...(requester ? { notRequester: false } : {}) })}
          label="Whoever asked for it may approve"
        />
        <Check
          checked={rule.notRequester === true}
          onChange={(notRequester) => change({ notRequester, ...(notRequester ? { requester: false } : {}) })}
          label="Never whoever asked for it"
          about="Four eyes: nobody who wrote into the run."
        />
        {rule.allOf?.length ? (
          <p className="text-ink-3 text-xs">The API added {rule.allOf.length} further conditions; they stay.</p>
        ) : null}
      </fieldset>
      <fieldset className="grid min-w-0 content-start">
        <legend className="mb-1.5 font-medium text-ink">And these people</legend>
        <div className="grid max-h-40 gap-1.5 overflow-y-auto rounded-md border border-line px-3 py-2">
          {members.map(({ id, name, role }) => (
            <Check
              key={id}
              checked={rule.memberIds?.includes(id) ?? false}
              onChange={(checked) =>
                change({
                  memberIds: checked
                    ? [...(rule.memberIds ?? []), id]
                    : (rule.memberIds ?? []).filter((other) => other !== id),
                })
              }
              label={name}
              about={role}
            />
          ))}
        </div>
      </fieldset>
    </div>
  )
}

interface CheckProps {
  checked: boolean
  onChange(checked: boolean): void
  label: string
  about?: string
}

function Check({ checked, onChange, label, about }: CheckProps) {
  return (
    <label className="flex items-start gap-2">
      <input
        type="checkbox"
        checked={checked}
        onChange={({ target }) => onChange(target.checked)}
        className="mt-[3px] size-3.5 shrink-0 accent-accent"
      />
      <span className="min-w-0">
        {label} {about && <span className="text-ink-3 text-xs">{about}</span>}
      </span>
    </label>
  )
}

/** As packages/db/src/approvers.ts has it, of whoever did not ask. Only for the number beside the field. */
function isEntitled(rule: Approvers, member: FormMember): boolean {
  if (rule.memberIds?.includes(member.id)) return true
  const needed = rule.roles ?? (rule.memberIds || rule.requester ? [] : (['approver'] as const))
  return needed.some((role) => ranks.indexOf(member.role) >= ranks.indexOf(role))
}
