import type { AreaUnderTest, TestedAction } from '../area.ts'
import type { ConsoleUnderTest } from '../console.ts'
import type { Person } from '../people.ts'
import { makeSession, type OwnSession } from '../playground-session.ts'

const onRun = (form: (session: OwnSession) => Record<string, string>): TestedAction => ({
  needs: 'member',
  form: async (own: Person, it: ConsoleUnderTest) => form(await makeSession(it, own)),
})

export default {
  pages: { '/runs': 'viewer' },
  byId: {
    '/runs/[id]': 'runs.test.ts',
  },
  foreign: { '/runs/[id]': ({ runId }) => `/runs/${runId}` },
  actions: {
    endRun: onRun(({ runId }) => ({ runId })),
    repeatRun: onRun(({ runId }) => ({ runId })),
    forkFromStep: onRun(({ runId }) => ({ runId, step: '1', side: 'before' })),
  },
  looks: async (it) => {
    const waiting = await it.db.prisma.question.findFirstOrThrow({
      where: { workspaceId: it.workspaceId, status: 'open', toolCallId: { not: null } },
      orderBy: { askedAt: 'asc' },
    })
    const run = `/runs/${waiting.runId}`
    return [run, `${run}?view=log`, '/runs?q=nothing+is+called+like+this']
  },
} satisfies AreaUnderTest
