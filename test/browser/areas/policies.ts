import { readPolicyContent, readPolicyDraft } from '@quartermaster/db'
import type { AreaUnderTest, TestedAction } from '../area.ts'
import type { ConsoleUnderTest } from '../console.ts'
import type { Person } from '../people.ts'

type Form = Awaited<ReturnType<TestedAction['form']>>

/** A form that says which state of the draft it saw. */
const onDraft = (form: (own: Person, it: ConsoleUnderTest) => Form | Promise<Form> = () => ({})): TestedAction => ({
  needs: 'admin',
  form: async (own, it) => {
    await draftOf(it, own.role)
    const made = await form(own, it)
    const draft = await readPolicyDraft(it.db, it.workspaceId)
    return { seen: draft?.updatedAt.toISOString() ?? '', ...made }
  },
})

/** A draft there is always one: what publishes or discards takes it away for the next one. */
async function draftOf(it: ConsoleUnderTest, role: string): Promise<void> {
  const { db, workspaceId } = it
  if (await readPolicyDraft(db, workspaceId)) return
  const live = await readPolicyContent(db, workspaceId)
  if (!live) throw new Error('there is no workspace')
  const content = { ...live.content, settings: { ...live.content.settings, deny: [`drafted.${role}`] } }
  await db.pool.query(
    `INSERT INTO policy_drafts (workspace_id, base, base_revision, content, updated_by)
     SELECT $1, $2, $3, $4, id FROM members WHERE workspace_id = $1 ORDER BY id LIMIT 1`,
    [workspaceId, JSON.stringify(live.content), live.revision, JSON.stringify(content)],
  )
}

const ruleOf = async (it: ConsoleUnderTest) => {
  const draft = await readPolicyDraft(it.db, it.workspaceId)
  return draft?.content.rules[1]?.id ?? ''
}

export default {
  pages: {
    '/policies': 'viewer',
    '/policies/rules': 'viewer',
    '/policies/hooks': 'viewer',
    '/policies/profiles': 'viewer',
    '/policies/layers': 'viewer',
    '/policies/explain': 'viewer',
    '/policies/draft': 'admin',
  },
  byId: {
    '/policies/rules/[id]': 'policies.test.ts',
    '/api/policies/replay': 'policies.test.ts',
    '/api/policies/check-rule': 'policies.test.ts',
  },
  foreign: {
    '/policies/rules/[id]': ({ ruleId }) => `/policies/rules/${ruleId}`,
  },
  actions: {
    saveWorkspaceLayer: onDraft(({ role }) => ({
      profile: 'full',
      allow: '',
      deny: `by.${role}`,
      approval: '{}',
    })),
    saveOwnProfile: onDraft(({ role }) => ({
      name: `of-${role}`,
      isNew: 'yes',
      tools: 'file.*',
    })),
    deleteOwnProfile: onDraft(({ role }) => ({ name: `of-${role}` })),
    saveOwnGroup: onDraft(({ role }) => ({ name: `of-${role}`, isNew: 'yes', tools: 'file.*' })),
    deleteOwnGroup: onDraft(({ role }) => ({ name: `of-${role}` })),
    saveProviderLayer: onDraft(({ role }) => ({
      name: role,
      profile: '',
      allow: '',
      deny: 'web.*',
    })),
    deleteProviderLayer: onDraft(({ role }) => ({ name: role })),
    saveSkillLayer: onDraft(({ role }) => ({ name: `of-${role}`, isNew: 'yes', tools: 'file.*' })),
    deleteSkillLayer: onDraft(({ role }) => ({ name: `of-${role}` })),
    saveHookRule: onDraft(() => ({ at: '', pattern: 'file.*', hook: 'log', conditions: '[]' })),
    deleteHookRule: onDraft(() => ({ at: '0' })),
    saveDraftRule: onDraft(({ role }) => ({
      rule: JSON.stringify({
        ...{ name: `Rule of ${role}`, pattern: 'file.*', decision: 'ask', conditions: [], approval: {} },
        ...{ mustMatch: [], mustNotMatch: [], enabled: true, note: '' },
      }),
    })),
    switchDraftRule: onDraft(async (_own, it) => ({ id: await ruleOf(it), enabled: 'false' })),
    moveDraftRule: onDraft(async (_own, it) => ({ id: await ruleOf(it), by: '-1' })),
    deleteDraftRule: onDraft(async (_own, it) => ({ id: await ruleOf(it) })),
    rebaseDraft: onDraft(),
    publishDraft: onDraft(async (_own, it) => {
      await rebase(it)
      return {}
    }),
    discardDraft: onDraft(),
  },
  looks: () => ['/policies/rules/new', '/policies/explain?agent=none&tool=shell.exec&args=%7B%7D'],
} satisfies AreaUnderTest

/** As if it had been begun just now: what the demo's draft was made of may have been published over. */
async function rebase(it: ConsoleUnderTest): Promise<void> {
  const live = await readPolicyContent(it.db, it.workspaceId)
  await it.db.pool.query('UPDATE policy_drafts SET base = $2 WHERE workspace_id = $1', [
    it.workspaceId,
    JSON.stringify(live?.content),
  ])
}
