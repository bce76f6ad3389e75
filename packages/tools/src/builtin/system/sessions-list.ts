import { failed, succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import type { Sessions } from '../../ports/sessions.ts'

export function createSessionsListTool(sessions: Sessions) {
  return defineTool({
    name: 'sessions.list',
    title: 'List sessions',
    description:
      'Lists the conversations of this workspace that the person who asks may see, the most recent first: id, title, channel, last activity, number of messages.',
    category: 'session',
    groups: ['sessions'],
    effect: 'read',
    hook: 'silent',
    idempotent: true,
    inputSchema: {
      type: 'object',
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'How many (default 20)' },
        before: { type: 'string', minLength: 1, maxLength: 100, description: 'The last id of the page before' },
      },
      additionalProperties: false,
    },
    execute: async ({ limit, before }, { workspaceId, requesterId }) => {
      if (requesterId === null) return failed('Nobody asked for this run, so there is nobody to show sessions to.')
      const page = { limit, ...(before === undefined ? {} : { before }) }
      const { sessions: found, more } = await sessions.list({ workspaceId, requesterId }, page)
      if (!found.length)
        return succeeded(before === undefined ? 'There are no sessions.' : 'There are no more sessions.')
      const lines = found.map(
        ({ id, title, channel, lastActivityAt, messages }) =>
          `${id}  ${lastActivityAt.toISOString()}  ${channel}  ${messages} message${messages === 1 ? '' : 's'}  ${JSON.stringify(title ?? '')}`,
      )
      const hint = more ? [`There are more: list again with before ${JSON.stringify(found.at(-1)?.id)}.`] : []
      return succeeded([...lines, ...hint].join('\n'), {
        data: {
          sessions: found.map((entry) => ({ ...entry, lastActivityAt: entry.lastActivityAt.toISOString() })),
          more,
        },
      })
    },
  })
}
