'use client'

import type { Approval, Role } from '@quartermaster/db'
import { useId } from 'react'
import { Field, fieldProps } from '../../../components/field.tsx'
import { Input, Select } from '../../../components/input.tsx'

interface ApprovalFieldsProps {
  value: Approval
  onChange(value: Approval): void
  /** Who says it where nothing is said here: "As the agent or the workspace says". */
  inherited: string
  members: readonly { id: string; name: string }[]
  mistake?: string | undefined
}

const askable: { value: Role; label: string }[] = [
  { value: 'member', label: 'Members and above' },
  { value: 'approver', label: 'Approvers, admins and owners' },
  { value: 'admin', label: 'Admins and owners' },
  { value: 'owner', label: 'Owners' },
]
const hour = 3_600_000

/** Who answers, how many must, what silence means, what one yes is worth. What is left open comes from elsewhere. */
export function ApprovalFields({ value, onChange, inherited, members, mistake }: ApprovalFieldsProps) {
  const id = useId()
  const who = value.approvers
  const set = (change: { [Key in keyof Approval]?: Approval[Key] | undefined }) =>
    onChange(Object.fromEntries(Object.entries({ ...value, ...change }).filter(([, each]) => each !== undefined)))
  const setWho = (change: Partial<NonNullable<typeof who>>) =>
    set({
      approvers: Object.fromEntries(
        Object.entries({ ...who, ...change }).filter(([, each]) => each !== undefined && each !== false),
      ),
    })
  const lease = value.lease === undefined ? '' : value.lease === false ? 'never' : 'limited'
  return (
    <fieldset className="grid gap-3 sm:grid-cols-2">
      <legend className="sr-only">Approval</legend>
      {mistake && <p className="text-bad text-xs sm:col-span-2">{mistake}</p>}
      <Field id={`${id}-who`} label="Who answers">
        <Select
          {...fieldProps(`${id}-who`)}
          value={who === undefined ? '' : (who.roles?.[0] ?? (who.requester || who.memberIds ? 'named' : 'approver'))}
          onChange={({ target }) =>
            target.value === ''
              ? set({ approvers: undefined })
              : setWho({ roles: target.value === 'named' ? undefined : [target.value as Role] })
          }
        >
          <option value="">{inherited}</option>
          {askable.map((role) => (
            <option key={role.value} value={role.value}>
              {role.label}
            </option>
          ))}
          <option value="named">Only those named below</option>
        </Select>
      </Field>
      <Field id={`${id}-required`} label="How many must approve">
        <Input
          {...fieldProps(`${id}-required`)}
          type="number"
          min={1}
          max={20}
          placeholder={inherited}
          value={value.required ?? ''}
          onChange={({ target }) => set({ required: target.value === '' ? undefined : Number(target.value) })}
        />
      </Field>
      {who !== undefined && (
        <div className="grid gap-1.5 sm:col-span-2">
          <Check
            label="Also whoever asked the agent"
            checked={who.requester ?? false}
            onChange={(requester) => setWho({ requester: requester || undefined })}
          />
          <Check
            label="Never whoever asked the agent"
            checked={who.notRequester ?? false}
            onChange={(notRequester) => setWho({ notRequester: notRequester || undefined })}
          />
          <details>
            <summary className="w-fit text-ink-2 text-xs">
              Also these people ({who.memberIds?.length ?? 0} chosen)
            </summary>
            <div className="mt-1.5 grid max-h-48 gap-1 overflow-y-auto">
              {members.map((member) => (
                <Check
                  key={member.id}
                  label={member.name}
                  checked={who.memberIds?.includes(member.id) ?? false}
                  onChange={(chosen) => {
                    const others = (who.memberIds ?? []).filter((each) => each !== member.id)
                    const memberIds = chosen ? [...others, member.id] : others
                    setWho({ memberIds: memberIds.length ? memberIds : undefined })
                  }}
                />
              ))}
            </div>
          </details>
        </div>
      )}
      <Field id={`${id}-expiry`} label="Expires after, in hours">
        <Input
          {...fieldProps(`${id}-expiry`)}
          type="number"
          min={0.01}
          max={720}
          step="any"
          placeholder={inherited}
          value={value.expiresInMs === undefined ? '' : value.expiresInMs / hour}
          onChange={({ target }) =>
            set({ expiresInMs: target.value === '' ? undefined : Math.round(Number(target.value) * hour) })
          }
        />
      </Field>
      <Field id={`${id}-silence`} label="If nobody answers">
        <Select
          {...fieldProps(`${id}-silence`)}
          value={value.onExpiry === 'escalate' ? (value.escalateTo?.roles?.[0] ?? 'admin') : (value.onExpiry ?? '')}
          onChange={({ target }) =>
            set(
              target.value === 'admin' || target.value === 'owner'
                ? { onExpiry: 'escalate', escalateTo: { roles: [target.value] } }
                : { onExpiry: target.value === 'deny' ? 'deny' : undefined, escalateTo: undefined },
            )
          }
        >
          <option value="">{inherited}</option>
          <option value="deny">It is denied</option>
          <option value="admin">Admins and owners are asked</option>
          <option value="owner">Owners are asked</option>
        </Select>
      </Field>
      <Field id={`${id}-lease`} label="“Approve for this thread”">
        <Select
          {...fieldProps(`${id}-lease`)}
          value={lease}
          onChange={({ target }) =>
            set({
              lease:
                target.value === '' ? undefined : target.value === 'never' ? false : { maxUses: 20, durationMs: hour },
            })
          }
        >
          <option value="">{inherited}</option>
          <option value="never">Is not offered</option>
          <option value="limited">Is offered, within limits</option>
        </Select>
      </Field>
      <Field id={`${id}-edit`} label="Editing before approving">
        <Select
          {...fieldProps(`${id}-edit`)}
          value={value.mayEdit === undefined ? '' : String(value.mayEdit)}
          onChange={({ target }) => set({ mayEdit: target.value === '' ? undefined : target.value === 'true' })}
        >
          <option value="">{inherited}</option>
          <option value="true">Is allowed</option>
          <option value="false">Is not allowed</option>
        </Select>
      </Field>
      {value.lease && (
        <>
          <Field id={`${id}-uses`} label="At most so many calls">
            <Input
              {...fieldProps(`${id}-uses`)}
              type="number"
              min={1}
              max={10_000}
              value={value.lease.maxUses}
              onChange={({ target }) =>
                value.lease && set({ lease: { ...value.lease, maxUses: Number(target.value) } })
              }
            />
          </Field>
          <Field id={`${id}-minutes`} label="Within so many minutes">
            <Input
              {...fieldProps(`${id}-minutes`)}
              type="number"
              min={1}
              value={value.lease.durationMs / 60_000}
              onChange={({ target }) =>
                value.lease && set({ lease: { ...value.lease, durationMs: Number(target.value) * 60_000 } })
              }
            />
          </Field>
        </>
      )}
    </fieldset>
  )
}

interface CheckProps {
  label: string
  checked: boolean
  onChange(checked: boolean): void
}

export function Check({ label, checked, onChange }: CheckProps) {
  return (
    <label className="flex w-fit items-center gap-2 text-sm max-sm:min-h-10">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        className="size-3.5 accent-accent"
      />
      {label}
    </label>
  )
}
