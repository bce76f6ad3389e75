'use server'

import { z } from 'zod'
import { adminAction } from '../../../admin-action.ts'
import { data } from '../../../data.ts'
import { sayInSession } from '../../../playground/say-in-session.ts'
import { runtime } from '../../../runtime.ts'
import { mistakesOf } from '../../../schema-form/mistakes.ts'
import { toolKit } from '../../../tool-kit.ts'
import { readBots } from '../channels/queries.ts'

const id = z.string().min(1).max(200)

/** For this workspace; whoever else has the tool keeps it. */
export const switchToolHere = adminAction({
  needs: 'admin',
  shape: z.object({ toolId: id, on: z.enum(['yes', 'no']) }),
  work: async ({ toolId, on }, { membership: { workspaceId }, actor }) => {
    const result = await data.switchTool(runtime().db, { workspaceId, toolId, on: on === 'yes', actor })
    if (result === 'not_found') return { ok: false, message: 'There is no such tool.' }
    if (result === 'already') return `It was ${on === 'yes' ? 'on' : 'off'} already.`
    return on === 'yes' ? `${toolId} is on again.` : `${toolId} is off: every agent here is refused it from now on.`
  },
})

/** The hook of one tool by its own name. Every other hook stays as it is. */
export const setToolHook = adminAction({
  needs: 'admin',
  shape: z.object({
    toolId: id,
    hook: z.enum(['default', 'confirm', 'log', 'silent'], 'Expected one of the choices.'),
    /** When what the person saw was saved; empty where nothing was. */
    seen: z.string().max(40),
  }),
  work: async ({ toolId, hook, seen }, { membership: { workspaceId }, actor }) => {
    const { db } = runtime()
    const [tool, stored] = await Promise.all([
      data.findTool(db, toolId, { workspaceId }),
      data.loadPolicy(db, workspaceId),
    ])
    if (!tool || !stored) return { ok: false, message: 'There is no such tool.' }
    const { profile, allow, deny, providers, hooks, approval } = stored.config
    const others = hooks.filter((rule) => !isOwn(rule, tool.name))
    const own = hook === 'default' ? [] : [{ pattern: tool.name, hook }]
    const saved = await data.savePolicySettings(db, {
      workspaceId,
      actor,
      expectedUpdatedAt: seen ? new Date(seen) : null,
      settings: { profile, allow, deny, providers, hooks: [...others, ...own], approval } as Parameters<
        typeof data.savePolicySettings
      >[1]['settings'],
      check: ({ config }) => toolKit.checkPolicyConfig(config).map(({ path, message }) => `${path}: ${message}`),
    })
    if (saved.ok)
      return hook === 'default' ? 'Saved. The tool’s own default counts again.' : 'Saved. It counts at once.'
    if (saved.reason === 'changed')
      return {
        ok: false,
        message: 'Somebody changed the policy meanwhile. Look at what is there now, and choose again.',
      }
    return { ok: false, message: saved.reason === 'invalid' ? saved.problems.join(' ') : 'It could not be saved.' }
  },
})

/** What the hook form writes; one with conditions is somebody's own, made in the policy. */
const isOwn = (rule: { pattern: string; conditions?: unknown }, name: string) =>
  rule.pattern === name && !(Array.isArray(rule.conditions) && rule.conditions.length > 0)

const jsonObject = z
  .string()
  .max(200_000, 'The arguments are too large to send from here.')
  .transform((text, context): Record<string, unknown> => {
    try {
      const value: unknown = JSON.parse(text)
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
    } catch {
      // Said below: whatever it is, it is no object.
    }
    context.addIssue({ code: 'custom', message: 'Arguments are an object: { "name": value }.' })
    return z.NEVER
  })

/**
 * A tool by hand, as an agent: said in a playground session of one's own as `!tool {json}`, so that policy, questions,
 * executor and record are those of any call. What is wrong with the arguments is told before anything is sent.
 */
export const tryTool = adminAction({
  needs: 'member',
  shape: z.object({ toolId: id, agentId: id, sessionId: id, eventId: id, arguments: jsonObject }),
  work: async ({ toolId, agentId, sessionId, eventId, arguments: args }, { membership }) => {
    const { db } = runtime()
    const { workspaceId, memberId } = membership
    const [tool, attachments] = await Promise.all([
      data.findTool(db, toolId, { workspaceId }),
      data.listAttachments(db, { workspaceId, agentId }),
    ])
    if (!tool || !attachments) return { ok: false, message: 'There is no such tool or agent.' }
    const config = attachments.find((attachment) => attachment.id === tool.id)?.config ?? {}
    const code = toolKit.describeBuiltinTools().find(({ name }) => name === tool.name)
    const completed = code ? toolKit.applyConfig(code, config, args) : args
    const schema = code?.inputSchema ?? JSON.parse(tool.parametersSchema)
    const validation = toolKit.compileSchema(schema).validate(completed)
    if (!validation.ok)
      return {
        ok: false,
        message: 'The arguments need another look.',
        fields: { ...mistakesOf(validation.violations) },
      }
    const said = await sayInSession({
      ...{ workspaceId, memberId, sessionId, agentId, eventId },
      content: [{ type: 'text', text: `!${tool.name} ${JSON.stringify(args)}` }],
    })
    if (said.outcome === 'no-agent' || said.conversationId === null)
      return { ok: false, message: 'This agent does not answer any more. Choose another one.' }
    const bots = (await readBots()).length
    return {
      ok: true,
      message: bots ? 'Sent.' : 'It waits: no bot is alive.',
      once: { conversationId: said.conversationId },
    }
  },
})
