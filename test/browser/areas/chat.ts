import type { AreaUnderTest, TestedAction } from '../area.ts'
import type { ConsoleUnderTest } from '../console.ts'
import type { Person } from '../people.ts'
import { makeSession, type OwnSession } from '../playground-session.ts'

const onSession = (form: (session: OwnSession) => Record<string, string>): TestedAction => ({
  needs: 'member',
  form: async (own: Person, it: ConsoleUnderTest) => form(await makeSession(it, own)),
})

/** What shows and answers what agents do: Overview, Approvals, Playground. */
export default {
  pages: { '/overview': 'viewer', '/approvals': 'viewer', '/playground': 'member' },
  byId: {
    '/approvals/[id]': 'approvals.test.ts',
    '/playground/[id]': 'playground.test.ts',
  },
  foreign: {
    '/approvals/[id]': ({ questionId }) => `/approvals/${questionId}`,
    '/playground/[id]': ({ conversationId }) => `/playground/${conversationId}`,
  },
  actions: {
    sendMessage: onSession(({ conversationId }) => ({ sessionId: conversationId, eventId: 'roles', text: 'hello' })),
    answerCard: onSession(({ questionId }) => ({ questionId, verdict: 'approve', value: '"tea"' })),
    stopRun: onSession(({ conversationId, runId }) => ({ sessionId: conversationId, runId })),
  },
  looks: () => ['/approvals?show=open', '/approvals?show=history'],
} satisfies AreaUnderTest
