// What the editor of the policy asks while somebody works on the draft.
import { z } from 'zod'
import { data } from '../../data.ts'
import { streamEvents } from '../../playground/event-stream.ts'
import { asRule, checkRuleAsTyped } from '../../policy/check-rule.ts'
import { readInstallation } from '../../policy/compile-policy.ts'
import { policyLimits } from '../../policy/limits.ts'
import { parsePeriod, periods } from '../../policy/periods.ts'
import { asPart, typedRuleShape } from '../../policy/read-rule.ts'
import { readPolicyTools } from '../../policy/read-tools.ts'
import { replayDraft } from '../../policy/replay.ts'
import { runtime } from '../../runtime.ts'
import { pageEndpoint } from '../endpoint.ts'
import { notFound, pageQuery, readAfter } from '../shapes.ts'

/** What would be said of a rule if it were saved; nothing is. */
export const checkRule = pageEndpoint({
  role: 'admin',
  method: 'POST',
  path: '/api/policies/check-rule',
  // A name may still be missing while somebody types.
  body: typedRuleShape.extend({ name: typedRuleShape.shape.name.catch('…') }),
  bodyBytes: policyLimits.checkedRuleBytes,
  work: async ({ caller: { workspaceId }, body }) => {
    const { db } = runtime()
    const [tools, draft, live] = await Promise.all([
      readPolicyTools(workspaceId),
      data.readPolicyDraft(db, workspaceId),
      data.readPolicyContent(db, workspaceId),
    ])
    const { rules: others = [], groups = [] } = draft?.content ?? live?.content ?? {}
    const checked = checkRuleAsTyped(
      asPart(body),
      body.id ?? 'new',
      tools.list(),
      others.map((rule) => asRule(rule, rule.id)),
      Object.fromEntries(groups.map(({ name, ...group }) => [name, group])),
    )
    return Response.json(checked)
  },
})

const periodNames = periods.map(({ value }) => value) as [string, ...string[]]

/**
 * The draft of the workspace's policy put to its recorded calls: an event `page` for every stretch of them, then `end`,
 * which says where to go on (`after`) if time was over before the calls were. It ends with its reader.
 */
export const replayPolicyDraft = pageEndpoint({
  role: 'admin',
  method: 'GET',
  path: '/api/policies/replay',
  query: z.strictObject({ days: z.enum(periodNames).default('30'), after: pageQuery.after }),
  work: async ({ caller: { workspaceId }, query, request, isStillAllowed }) => {
    const { db } = runtime()
    const { days } = parsePeriod(query.days)
    const after = readAfter(query.after)
    const [stored, draft, installation, tools, agents] = await Promise.all([
      data.loadPolicy(db, workspaceId),
      data.readPolicyDraft(db, workspaceId),
      readInstallation(),
      readPolicyTools(workspaceId),
      db.pool.query<{ id: string; name: string }>('SELECT id, name FROM agents WHERE workspace_id = $1', [workspaceId]),
    ])
    if (!stored || !draft) throw notFound('draft of the policy')
    const gone = new AbortController()
    return streamEvents(
      request.signal,
      (stream) => {
        const replay = replayDraft({
          stored,
          content: draft.content,
          installation,
          tools,
          agents: agents.rows,
          since: days === null ? null : new Date(Date.now() - days * 86_400_000),
          after,
          signal: gone.signal,
        })
        const pump = async () => {
          for (;;) {
            const { done, value } = await replay.next()
            if (gone.signal.aborted) return
            stream.send(done ? 'end' : 'page', value)
            if (done) return
          }
        }
        pump()
          .catch((error) => {
            console.error('console: a replay failed:', error)
            stream.send('failed', { message: 'The replay did not work. The console’s log says why.' })
          })
          .finally(() => stream.end())
        return () => gone.abort()
      },
      isStillAllowed,
    )
  },
})
