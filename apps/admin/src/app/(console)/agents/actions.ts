'use server'

import type { AgentConfiguration, AgentDraftResult, PublishResult } from '@quartermaster/db'
import { z } from 'zod'
import type { ActionResult } from '../../../action-result.ts'
import { adminAction } from '../../../admin-action.ts'
import { checkPolicy } from '../../../agents/check-policy.ts'
import { oneOfEachName, readAgentTools } from '../../../agents/read-tools.ts'
import { seenShape } from '../../../agents/seen.ts'
import { data } from '../../../data.ts'
import { runtime } from '../../../runtime.ts'
import { mistakesOf } from '../../../schema-form/mistakes.ts'
import { toolKit } from '../../../tool-kit.ts'
import { tellTaken } from '../channels/tell-taken.ts'
import { templates } from './templates.ts'

const id = z.string().min(1).max(100)
const note = z.string().max(500, 'Expected at most 500 characters.').default('')
const json = z.string().max(400_000).transform(parseJson)
const names = {
  name: z.string('Expected a name.').max(200, 'Expected at most 80 characters.'),
  description: z.string().max(2_000, 'Expected at most 500 characters.').default(''),
}

export const makeAgent = adminAction({
  needs: 'admin',
  shape: z.object({ ...names, from: z.string().max(120).default('blank') }),
  work: async ({ name, description, from }, { membership: { workspaceId }, actor }) => {
    const { db } = runtime()
    const copied = from.startsWith('agent:')
      ? await data.readAgent(db, { workspaceId, agentId: from.slice('agent:'.length) })
      : null
    const configuration = copied
      ? (copied.published ?? copied.draft)?.configuration
      : Object.hasOwn(templates, from)
        ? templates[from]?.configuration
        : undefined
    if (!configuration) return { ok: false, message: 'Not made.', fields: { from: 'Expected one of the list.' } }
    const { validate } = await readAgentTools(workspaceId)
    const made = await data.createAgent(db, { workspaceId, name, description, configuration, actor, validate })
    if (made.ok) return { ok: true, message: `${name.trim()} is a draft now.`, once: { agentId: made.agentId } }
    if (made.reason === 'name_taken')
      return { ok: false, message: 'Not made.', fields: { name: 'There is an agent of this name.' } }
    return made.reason === 'invalid' ? refusal(made.problems) : gone
  },
})

export const nameAgent = adminAction({
  needs: 'admin',
  shape: z.object({ agentId: id, ...names }),
  work: async ({ agentId, name, description }, { membership: { workspaceId }, actor }) => {
    const named = await data.renameAgent(runtime().db, { workspaceId, agentId, name, description, actor })
    if (named.ok)
      return named.changed ? 'Saved. It is called that everywhere from now on.' : 'It was called that already.'
    if (named.reason === 'name_taken')
      return { ok: false, message: 'Not saved.', fields: { name: 'There is another agent of this name.' } }
    return named.reason === 'invalid' ? refusal(named.problems) : gone
  },
})

export const saveAgent = adminAction({
  needs: 'admin',
  shape: z.object({ agentId: id, seen: seenShape, change: json }),
  work: async ({ agentId, seen, change }, { membership: { workspaceId }, actor }) => {
    const fields = patternMistakes(change)
    if (Object.keys(fields).length) return { ok: false, message: 'Some fields need another look.', fields }
    const { validate } = await readAgentTools(workspaceId)
    const input = { workspaceId, agentId, actor, seen, validate }
    return told(await data.saveDraft(runtime().db, { ...input, change: change as Partial<AgentConfiguration> }))
  },
})

export const attachToAgent = adminAction({
  needs: 'admin',
  shape: z.object({ agentId: id, toolId: id, seen: seenShape.optional(), config: json.optional() }),
  work: async ({ agentId, toolId, seen, config }, { membership: { workspaceId }, actor }) => {
    const tools = await readAgentTools(workspaceId)
    const { validate } = tools
    const given = config && Object.keys(config).length ? (config as Record<string, unknown>) : null
    const input = { workspaceId, agentId, toolId, config: given, actor, validate, ...(seen ? { seen } : {}) }
    return toldAttached(await data.attachInDraft(runtime().db, input), tools.byId.get(toolId)?.name)
  },
})

/** All that it has without attachments, as attachments: from there single ones are added and taken away. */
export const attachDefaultSet = adminAction({
  needs: 'admin',
  shape: z.object({ agentId: id, seen: seenShape }),
  work: async ({ agentId, seen }, { membership: { workspaceId }, actor }) => {
    const { rows, described, validate } = await readAgentTools(workspaceId)
    // What else the policy takes away is not the attachments' to say.
    const open = new toolKit.Policy({ profile: 'full' })
    const source = { version: 1, list: () => [...described.values()] }
    const attachments = oneOfEachName(rows, new Set())
      .filter(({ name, unavailable }) => unavailable === null && open.isAllowed(name, source))
      .map((row) => ({ toolId: row.id, config: null }))
    const saved = await data.saveDraft(runtime().db, {
      ...{ workspaceId, agentId, actor, seen, validate },
      change: { attachments },
    })
    return saved.ok ? `${attachments.length} tools are attached in the draft.` : told(saved)
  },
})

export const detachFromAgent = adminAction({
  needs: 'admin',
  shape: z.object({ agentId: id, toolId: id }),
  work: async ({ agentId, toolId }, { membership: { workspaceId }, actor }) =>
    told(await data.detachInDraft(runtime().db, { workspaceId, agentId, toolId, actor })),
})

export const discardAgentDraft = adminAction({
  needs: 'admin',
  shape: z.object({ agentId: id, seen: seenShape }),
  work: async (input, { membership: { workspaceId }, actor }) => {
    const discarded = await data.discardDraft(runtime().db, { ...input, workspaceId, actor })
    return discarded.ok ? 'The draft is discarded. What holds did not change.' : told(discarded)
  },
})

export const publishAgent = adminAction({
  needs: 'admin',
  shape: z.object({ agentId: id, seen: seenShape, note }),
  work: async (input, { membership: { workspaceId }, actor }) =>
    toldPublished(
      await data.publishDraft(runtime().db, { ...input, workspaceId, actor, check: checkPolicy }),
      (number) => `Version ${number} is published. It counts from the next message on.`,
    ),
})

export const rollBackAgent = adminAction({
  needs: 'admin',
  shape: z.object({ agentId: id, seen: seenShape, to: z.coerce.number().int().min(1).max(1_000_000_000), note }),
  work: async ({ to, ...input }, { membership: { workspaceId }, actor }) => {
    const said = input.note || `Back to version ${to}.`
    return toldPublished(
      await data.rollBack(runtime().db, { ...input, to, note: said, workspaceId, actor, check: checkPolicy }),
      (number) => `Version ${number} is as version ${to} was. It counts from the next message on.`,
    )
  },
})

export const putAgentAway = adminAction({
  needs: 'admin',
  shape: z.object({ agentId: id, knownPlaces: z.string().max(50_000).default('') }),
  work: async ({ agentId, knownPlaces }, { membership: { workspaceId }, actor }) => {
    const known = knownPlaces.split('\n').filter(Boolean)
    const archived = await data.archiveAgent(runtime().db, { workspaceId, agentId, knownPlaces: known, actor })
    if (archived.ok) return archived.changed ? 'Archived. It answers nobody any more.' : 'It was archived already.'
    if (archived.reason === 'not_found') return gone
    const places = archived.places.map(({ channelName, place }) => (place ? `${place} in ${channelName}` : channelName))
    return { ok: false, message: `Not archived: by now it also answers in ${places.join(', ')}. Look once more.` }
  },
})

export const bringAgentBack = adminAction({
  needs: 'admin',
  shape: z.object({ agentId: id }),
  work: async ({ agentId }, { membership: { workspaceId }, actor }) => {
    const restored = await data.restoreAgent(runtime().db, { workspaceId, agentId, actor })
    if (!restored.ok) return gone
    return restored.changed ? 'Restored. It answers again wherever it is bound.' : 'It was there already.'
  },
})

export const bindAgent = adminAction({
  needs: 'admin',
  shape: z.object({
    agentId: id,
    channelId: id,
    place: z.string('Expected a place.').max(300),
    instead: id.or(z.literal('')).default(''),
  }),
  work: async ({ agentId, channelId, place, instead }, { membership: { workspaceId }, actor }) => {
    const { db } = runtime()
    const { rows } = await db.pool.query(
      `SELECT kind FROM channels WHERE workspace_id = $1 AND id = $2 AND kind <> 'web'`,
      [workspaceId, channelId],
    )
    if (!rows[0]) throw new data.Problem('There is no such connection in this workspace.', 'Reload the page.')
    const parsed = data.parsePlace(rows[0].kind, place)
    if ('mistake' in parsed) return { ok: false, message: 'Not bound.', fields: { place: parsed.mistake } }
    const binding = { workspaceId, channelId, place: parsed.place, agentId, instead, actor }
    const saved = await data.saveBinding(db, binding)
    if (typeof saved === 'object') return tellTaken(saved)
    return `Saved. This agent answers in ${parsed.place}.`
  },
})

export const unbindAgent = adminAction({
  needs: 'admin',
  shape: z.object({ channelId: id, place: z.string().min(1).max(300) }),
  work: async (input, { membership: { workspaceId }, actor }) => {
    const removed = await data.removeBinding(runtime().db, { ...input, workspaceId, actor })
    return removed ? `The default agent answers in ${input.place}.` : 'It was removed already.'
  },
})

const gone: ActionResult = { ok: false, message: 'There is no such agent in this workspace. Reload the page.' }

function parseJson(text: string, context: z.RefinementCtx): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Said below, like what is JSON and no object.
  }
  context.addIssue({ code: 'custom', message: 'Expected a JSON object.' })
  return {}
}

/** A pattern that cannot be one, before it is in a draft: by the field, with the pattern named. */
function patternMistakes(change: Record<string, unknown>): Record<string, string> {
  const mistakes: Record<string, string> = {}
  for (const field of ['toolsAllow', 'toolsDeny']) {
    const patterns = change[field]
    for (const pattern of Array.isArray(patterns) ? patterns : [])
      try {
        toolKit.parsePattern(pattern)
      } catch (error) {
        const said = error instanceof Error ? error.message : String(error)
        mistakes[field] ??= `${said.charAt(0).toUpperCase()}${said.slice(1)}.`
      }
  }
  return mistakes
}

function told(result: AgentDraftResult): string | ActionResult {
  if (result.ok) return result.draft ? 'Saved in the draft.' : 'Nothing is left to publish: this is what holds.'
  if (result.reason === 'invalid') return refusal(result.problems)
  return describeRefusal(result.reason)
}

/** What is wrong with a configuration, by the JSON pointer of its place, as the form made of the schema wants it. */
function toldAttached(result: AgentDraftResult, tool: string | undefined): string | ActionResult {
  if (result.ok || result.reason !== 'invalid') return told(result)
  const begin = `${tool}: `
  const violations = result.problems.map(({ message }) => {
    const said = message.startsWith(begin) ? message.slice(begin.length) : message
    const [, path = '', what = said] = /^((?:"(?:[^"\\]|\\.)*"|[^\s":])+): (.+)$/s.exec(said) ?? []
    return { path, message: what }
  })
  return { ok: false, message: 'Not attached. Some fields need another look.', fields: mistakesOf(violations) }
}

function toldPublished(result: PublishResult, done: (number: number) => string): string | ActionResult {
  if (result.ok) return done(result.number)
  if (result.reason === 'unchanged')
    return { ok: false, message: 'There is nothing to publish: this is what holds already.' }
  if (result.reason === 'missing_tools') {
    const tools = result.toolIds.join(', ')
    return {
      ok: false,
      message: `Not published: ${tools} is not in the registry any more. Detach it in the draft first.`,
    }
  }
  if (result.reason === 'invalid')
    return { ok: false, message: `Not published, the policy could not be used: ${result.problems.join(' ')}` }
  return describeRefusal(result.reason)
}

const describeRefusal = (reason: 'changed' | 'archived' | 'not_found'): ActionResult =>
  reason === 'changed'
    ? {
        ok: false,
        message:
          'Somebody changed this agent meanwhile, so nothing was written. The page shows how it is now; what you typed is still here. Look, then save again.',
      }
    : reason === 'archived'
      ? { ok: false, message: 'This agent is archived. Restore it first.' }
      : gone

/** Each problem at its field; of patterns the list, of budgets the amount. */
function refusal(problems: readonly { path: string; message: string }[]): ActionResult {
  const fields: Record<string, string> = {}
  for (const { path, message } of problems) {
    const field = path.replace(/^(toolsAllow|toolsDeny|approvers|attachments)\..*/, '$1')
    fields[field] ??= message
  }
  const first = problems[0]?.message ?? 'Something is wrong with it.'
  return { ok: false, message: first, fields }
}
