import type { DraftRefusal, PolicyContent } from '@quartermaster/db'
import type { ActionResult } from '../../../action-result.ts'
import { data } from '../../../data.ts'
import { createCheck, readInstallation } from '../../../policy/compile-policy.ts'
import { readPolicyView } from '../../../policy/read-policy.ts'
import { readPolicyTools } from '../../../policy/read-tools.ts'
import { runtime } from '../../../runtime.ts'
import type { CurrentMember } from '../../../session.ts'

/** The state that a form was made of; what is no time is none. */
export function readSeen(text: string): Date | null {
  const time = new Date(text)
  return text === '' || Number.isNaN(time.getTime()) ? null : time
}

/** What every change of a draft says about itself. */
export async function draftChange({ membership, actor }: CurrentMember, seen: string) {
  const { workspaceId } = membership
  const [installation, tools] = await Promise.all([readInstallation(), readPolicyTools(workspaceId)])
  return { workspaceId, actor, expectedUpdatedAt: readSeen(seen), check: createCheck(installation, tools.list()) }
}

interface DraftEdit {
  current: CurrentMember
  seen: string
  edit(content: PolicyContent): PolicyContent
  /** What is said when it is done. */
  done: string
  /** Which field a problem belongs to, by the place it names; undefined: to none of them. */
  fieldOf?(place: string): string | undefined
}

export async function editDraft({ current, seen, edit, done, fieldOf }: DraftEdit): Promise<ActionResult> {
  const change = await draftChange(current, seen)
  const result = await data.editPolicyDraft(runtime().db, { ...change, edit })
  if (!result.ok) return describeRefusal(await nameAgents(result, current), fieldOf)
  return {
    ok: true,
    message: result.updatedAt
      ? `${done} It is in the draft, and counts once that is published.`
      : `${done} Nothing differs from the live policy any more, so there is no draft.`,
  }
}

/** The policy knows agents by their ids, and whoever reads a problem by their names. */
export async function nameAgents<Refusal extends { reason: string }>(
  refusal: Refusal,
  current: CurrentMember,
): Promise<Refusal> {
  if (refusal.reason !== 'invalid' || !('problems' in refusal)) return refusal
  const { agents } = await readPolicyView(current)
  const problems = (refusal.problems as readonly string[]).map((problem) =>
    agents.reduce(
      (text, { id, name }) => text.replace(`agents.${id}`, `the agent ${name}`).replace(`agent ${id}`, `agent ${name}`),
      problem,
    ),
  )
  return { ...refusal, problems }
}

export function describeRefusal(
  refusal: DraftRefusal,
  fieldOf: (place: string) => string | undefined = () => undefined,
): Extract<ActionResult, { ok: false }> {
  if (refusal.reason === 'changed') return { ok: false, message: describeRace(refusal.draft) }
  if (refusal.reason === 'not_found') return { ok: false, message: 'There is no draft any more. Nothing was changed.' }
  const fields: Record<string, string> = {}
  const others: string[] = []
  for (const problem of refusal.problems) {
    const [, place = '', what = problem] = /^([^\s:]+): (.*)$/s.exec(problem) ?? []
    const field = place ? fieldOf(place) : undefined
    if (field) fields[field] = fields[field] ? `${fields[field]} ${sentence(what)}` : sentence(what)
    else others.push(problem)
  }
  const message = others.length
    ? `Not saved: ${others.slice(0, 5).join('; ')}${others.length > 5 ? `; and ${others.length - 5} more` : ''}.`
    : 'Not saved. Some fields need another look.'
  return others.length ? { ok: false, message } : { ok: false, message, fields }
}

const describeRace = (draft: { updatedBy: string } | null) =>
  draft
    ? `${draft.updatedBy} changed the draft after this page was read. Nothing of yours was saved, and what you typed is still here: the page shows theirs now. Save again to put yours on top.`
    : 'The draft was published or discarded after this page was read. Nothing of yours was saved, and what you typed is still here. Save again to begin a new draft.'

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
