// What the list of runs and its export are filtered by, by the same names as on the console's page.
import type { RunFilters } from '@quartermaster/db'
import { z } from 'zod'
import { momentOf, momentShape, textShape, zoneFor } from '../shapes.ts'

export const statuses = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'stopped'] as const
export const triggers = ['message', 'schedule', 'watch', 'parent', 'api'] as const
export const channels = ['slack', 'telegram', 'web'] as const

export const runFilters = {
  q: textShape.optional().describe('Part of the title or of the error, in any case.'),
  status: z.enum(statuses).optional(),
  agent: textShape.optional().describe('An agent’s id.'),
  trigger: z.enum(triggers).optional(),
  channel: z.enum(channels).optional(),
  member: textShape.optional().describe('The id of the member who asked for it.'),
  from: momentShape.describe('Queued at this time or later; a day begins in the workspace’s zone.'),
  to: momentShape.describe('Queued before this time, or on this day at the latest.'),
} as const

type Query = { [Name in keyof typeof runFilters]?: z.output<(typeof runFilters)[Name]> }

export async function readRunFilters(
  workspaceId: string,
  { q, agent, channel, member, from, to, ...same }: Query,
): Promise<RunFilters> {
  const zone = await zoneFor(workspaceId, from, to)
  const filters = {
    ...same,
    text: q?.trim() || undefined,
    agentId: agent,
    channelKind: channel,
    requestedBy: member,
    from: momentOf(from, zone),
    to: momentOf(to, zone, 1),
  }
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))
}
