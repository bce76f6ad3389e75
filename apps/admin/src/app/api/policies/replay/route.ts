import { ApiError, renderError } from '../../../../api/api-error.ts'
import { requireCaller } from '../../../../api/require-caller.ts'
import { data } from '../../../../data.ts'
import { parsePageKey } from '../../../../paging.ts'
import { streamEvents } from '../../../../playground/event-stream.ts'
import { readInstallation } from '../../../../policy/compile-policy.ts'
import { parsePeriod } from '../../../../policy/periods.ts'
import { readPolicyTools } from '../../../../policy/read-tools.ts'
import { replayDraft } from '../../../../policy/replay.ts'
import { runtime } from '../../../../runtime.ts'

/**
 * The draft of the workspace's policy put to its recorded calls: an event `page` for every stretch of them, then `end`,
 * which says where to go on (`after`) if time was over before the calls were. It ends with its reader.
 */
export async function GET(request: Request): Promise<Response> {
  try {
    const { caller, findAgain } = await requireCaller(request, { role: 'admin', scope: 'policies' })
    const { workspaceId, memberId } = caller
    const { db } = runtime()
    const parameters = new URL(request.url).searchParams
    const { days } = parsePeriod(parameters.get('days'))
    const [stored, draft, installation, tools, agents] = await Promise.all([
      data.loadPolicy(db, workspaceId),
      data.readPolicyDraft(db, workspaceId),
      readInstallation(),
      readPolicyTools(workspaceId),
      db.pool.query<{ id: string; name: string }>('SELECT id, name FROM agents WHERE workspace_id = $1', [workspaceId]),
    ])
    if (!stored || !draft) throw new ApiError('NOT_FOUND', 'There is no draft of the policy.')
    const isStillAllowed = async () => {
      const again = await findAgain()
      return again?.memberId === memberId && again.workspaceId === workspaceId
    }
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
          after: parsePageKey(parameters.get('after')),
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
  } catch (error) {
    return renderError(error)
  }
}
