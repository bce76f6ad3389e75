'use server'

import { redirect } from 'next/navigation'
import { z } from 'zod'
import type { ActionResult } from '../../../action-result.ts'
import { adminAction } from '../../../admin-action.ts'
import { data } from '../../../data.ts'
import { playgroundLimits as limits } from '../../../playground/limits.ts'
import { readContent } from '../../../playground/read-content.ts'
import { findSessionOf, sayInSession } from '../../../playground/say-in-session.ts'
import { runtime } from '../../../runtime.ts'

const id = z.string().min(1).max(100)

/** A message to a session, or the first one of a new session, which is then opened. Sent again, it counts once. */
export const sendMessage = adminAction({
  needs: 'member',
  shape: z.object({
    sessionId: id,
    eventId: id,
    agentId: id.optional(),
    text: z.string().max(limits.messageLength, `A message has at most ${limits.messageLength} characters.`),
    files: z.array(z.instanceof(File)).max(limits.files, `A message has at most ${limits.files} files.`),
  }),
  read: (form) => ({
    sessionId: form.get('sessionId'),
    eventId: form.get('eventId'),
    agentId: form.get('agentId') ?? undefined,
    // A form sends its lines as the standard wants them; the person pressed one key.
    text: String(form.get('text') ?? '').replaceAll('\r\n', '\n'),
    files: form.getAll('files'),
  }),
  work: async ({ files, text, agentId, eventId, sessionId }, { membership }): Promise<ActionResult> => {
    const sent = await Promise.all(
      files.map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })),
    )
    const read = readContent(text, sent)
    if (!read.ok) return { ok: false, message: read.message }
    const { workspaceId, memberId } = membership
    const said = await sayInSession({ workspaceId, memberId, sessionId, agentId, eventId, content: read.content })
    if (said.outcome === 'no-agent' || said.conversationId === null)
      return { ok: false, message: 'This agent does not answer any more. Start a session with another one.' }
    // After the message that names them, and again where it is sent again: each is kept once.
    for (const recording of read.recordings)
      await data.keepChatFile(runtime().db, { ...recording, eventId, conversationId: said.conversationId })
    if (agentId !== undefined) redirect(`/playground/${said.conversationId}`)
    return { ok: true, message: 'Sent.' }
  },
})

/** Ends what the agent is doing in a session of one's own. */
export const stopRun = adminAction({
  needs: 'member',
  shape: z.object({ sessionId: id, runId: id }),
  work: async ({ sessionId, runId }, { membership, actor }) => {
    const { workspaceId, memberId } = membership
    const conversationId = await findSessionOf({ workspaceId, memberId, sessionId })
    const { rowCount } = await runtime().db.pool.query('SELECT 1 FROM runs WHERE id = $1 AND conversation_id = $2', [
      runId,
      conversationId,
    ])
    if (!rowCount) return { ok: false, message: 'There is nothing to stop here.' }
    const stopped = await data.requestStop(runtime().db, { workspaceId, runId, actor })
    return stopped === 'finished' ? 'It had ended already.' : 'Stopped.'
  },
})
