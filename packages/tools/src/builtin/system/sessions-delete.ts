import { failed, succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import type { Sessions } from '../../ports/sessions.ts'

export function createSessionsDeleteTool(sessions: Sessions) {
  return defineTool({
    name: 'sessions.delete',
    title: 'Delete a session',
    description:
      'Deletes a conversation for good: its messages and files. The person who asks must have opened it, or be an admin. The records of its tool calls stay.',
    category: 'session',
    groups: ['sessions'],
    effect: 'write',
    hook: 'confirm',
    inputSchema: {
      type: 'object',
      properties: {
        id: {
          type: 'string',
          minLength: 1,
          maxLength: 100,
          description: 'The id of the session, as sessions.list gives it',
        },
      },
      required: ['id'],
      additionalProperties: false,
    },
    summarize: ({ id }) => ({
      title: `Delete the session ${id.replace(/\s+/g, ' ')} for good`,
      facts: [
        { label: 'What goes', value: 'its messages, virtual files and attachments, for everybody' },
        { label: 'What stays', value: 'the records of its runs and tool calls, and the audit log' },
      ],
    }),
    execute: async ({ id }, { workspaceId, requesterId, conversationId }) => {
      if (requesterId === null) return failed('Nobody asked for this run, so there is nobody who may delete a session.')
      const deleted = await sessions.delete({ workspaceId, requesterId, conversationId }, id)
      return deleted.ok ? succeeded(`Deleted the session ${id}.`) : failed(deleted.problem)
    },
  })
}
