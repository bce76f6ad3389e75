// The search of the model's provider: it is made there, while the model answers, so no single search can be put to a
// person or refused. It stands in for `web.search` where that has no provider of its own and every call of it would run
// without a person; and each search is a call on record, like one that ran here.
import { recordServerCalls, type ServerCall, type TranscriptMessage } from '@quartermaster/db'
import { digestOf, scanInjection, toolVersion } from '@quartermaster/tools'
import { limits } from '../limits.ts'
import type { ModelTurn, WebSearch } from '../model/index.ts'
import { toBlocks } from './build-messages.ts'
import { patiently } from './patience.ts'
import { type Calling, LetGo, type RunInHand, type RunServices } from './run-services.ts'

export const searchTool = 'web.search'
/** What the API calls it. */
export const serverSearchName = 'web_search'

/** Null: it is not offered. The taint does not count here: what is searched for reaches nobody who has not read it all. */
export function offerSearch(services: RunServices, { caller, policy }: Calling): WebSearch | null {
  const tool = services.serverSearch ? services.registry.get(searchTool) : undefined
  if (!tool || !policy.runsUnasked(tool, caller.policy)) return null
  const config = caller.configs?.get(searchTool) ?? {}
  // What an owner fixed of the arguments cannot be handed on.
  if (Object.keys(config).some((key) => key.startsWith('fixed_'))) return null
  const maxUses = limits.serverSearches
  if (config.allowed_hosts === undefined) return { maxUses }
  const allowedDomains = domainsOf(config.allowed_hosts)
  return allowedDomains && { maxUses, allowedDomains }
}

/** The provider's list means a host and all that is below it. Null for a list that means less: it would be passed over. */
export function domainsOf(hosts: unknown): string[] | null {
  const listed = new Set(Array.isArray(hosts) ? hosts.map(String) : [])
  const domains = [...listed].filter((host) => !host.startsWith('*.'))
  const isWhole = domains.every((host) => listed.has(`*.${host}`) && /^[a-z0-9.-]+$/.test(host))
  return domains.length && isWhole && listed.size === domains.length * 2 ? domains : null
}

interface Found {
  toolUseId: string
  input: unknown
  failed: string | null
  output: string
}

/** The searches whose results an answer brings. One that was begun before a pause stands in the answer before it. */
export function searchesIn(content: ModelTurn['content'], before: readonly TranscriptMessage[]): Found[] {
  const last = before.findLast(({ role }) => role === 'assistant')
  const uses = [...toBlocks(last?.content), ...toBlocks(content)].filter(
    ({ type, name }) => type === 'server_tool_use' && name === serverSearchName,
  )
  return content.flatMap((block): Found[] => {
    if (block.type !== 'web_search_tool_result') return []
    const use = uses.find(({ id }) => id === block.tool_use_id)
    const about = { toolUseId: block.tool_use_id, input: use?.input ?? {} }
    if (!Array.isArray(block.content)) {
      const code = (block.content as { error_code?: unknown } | null)?.error_code
      return [{ ...about, failed: `The search failed: ${String(code ?? 'no reason was given')}.`, output: '' }]
    }
    const lines = block.content.map(({ title, url }, index) => `${index + 1}. ${title}\n   ${url}`)
    return [{ ...about, failed: null, output: lines.join('\n\n') || 'Nothing was found.' }]
  })
}

/**
 * Before the answer that brings them: what strangers wrote is on record before anything can come of it. Where the process
 * ends between the two, the model is asked again, and what it searched for in vain was searched for all the same.
 */
export async function recordSearches(
  services: RunServices,
  held: RunInHand,
  found: readonly Found[],
  { step, startedAt }: { step: number; startedAt: Date },
): Promise<void> {
  const tool = services.registry.get(searchTool)
  if (!found.length || !tool) return
  const version = toolVersion(tool)
  const trail = held.calling ? held.calling.policy.decide(tool, {}, held.calling.caller.policy).trail : []
  const calls = found.map(
    ({ toolUseId, input, failed, output }): ServerCall => ({
      ...{ toolUseId, toolName: tool.name, toolVersion: version, step, startedAt },
      arguments: input,
      argumentsDigest: digestOf(version, input, undefined),
      trail: [...trail, { layer: 'tool', verdict: 'allow', reason: "made by the model's provider while it answered" }],
      status: failed === null ? 'succeeded' : 'failed',
      output,
      error: failed,
      findings: scanInjection(output),
      taint: failed === null ? [tool.name] : [],
    }),
  )
  if (!(await patiently(() => recordServerCalls(services.db, held.run, calls))))
    throw new LetGo(`run ${held.run.runId} is not held any more`)
  // The calls of this very answer are decided on with it.
  held.taint = null
  held.calling = null
}
