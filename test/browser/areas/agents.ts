import { attachInDraft, createAgent, newId, publishDraft, readAgent, saveDraft } from '@quartermaster/db'
import type { AreaUnderTest, TestedAction } from '../area.ts'
import type { ConsoleUnderTest } from '../console.ts'
import type { TenantIds } from '../tenant-ids.ts'

/** A new agent with two versions and a draft, which nobody else changes. */
export async function makeAgent(it: ConsoleUnderTest, name = `Agent ${newId('x')}`) {
  const whose = { workspaceId: it.workspaceId, actor: { kind: 'member', id: it.people.admin.memberId } as const }
  const made = await createAgent(it.db, { ...whose, name, description: 'Made for a test.', validate: () => [] })
  if (!made.ok) throw new Error(made.reason)
  const { agentId } = made
  const seen = async () => (await readAgent(it.db, { ...whose, agentId }))!.seen
  const save = async (instructions: string) =>
    saveDraft(it.db, { ...whose, agentId, seen: await seen(), change: { instructions }, validate: () => [] })
  await publishDraft(it.db, { ...whose, agentId, seen: await seen(), note: 'The first.' })
  await save('Second instructions.')
  await publishDraft(it.db, { ...whose, agentId, seen: await seen(), note: 'The second.' })
  await save('Drafted instructions.')
  const { version, draftUpdatedAt } = await seen()
  return { agentId, name, seen: `${version}~${draftUpdatedAt?.getTime() ?? ''}` }
}

type Made = Awaited<ReturnType<typeof makeAgent>>

const onAgent = (form: (made: Made) => Record<string, string>): TestedAction => ({
  needs: 'admin',
  form: async (_own, it) => form(await makeAgent(it)),
})

const toolOf = async (it: ConsoleUnderTest, name: string) =>
  (await it.db.prisma.tool.findFirstOrThrow({ where: { handlerKey: name } })).id

const slackOf = async (it: ConsoleUnderTest) =>
  (await it.db.prisma.channel.findFirstOrThrow({ where: { workspaceId: it.workspaceId, kind: 'slack' } })).id

const tabs = ['', '/tools', '/effective', '/channels', '/secrets', '/versions']

export default {
  pages: { '/agents': 'viewer', '/agents/new': 'admin' },
  byId: Object.fromEntries(tabs.map((tab) => [`/agents/[id]${tab}`, 'agents.test.ts'])),
  foreign: Object.fromEntries(
    tabs.map((tab) => [`/agents/[id]${tab}`, ({ agentId }: TenantIds) => `/agents/${agentId}${tab}`]),
  ),
  actions: {
    makeAgent: {
      needs: 'admin',
      form: ({ role }) => ({ name: `Made by ${role} ${newId('x')}`, from: 'research' }),
    },
    nameAgent: onAgent(({ agentId, name }) => ({ agentId, name: `${name} renamed`, description: '' })),
    saveAgent: onAgent(({ agentId, seen }) => ({ agentId, seen, change: '{"model":"deep"}' })),
    attachToAgent: {
      needs: 'admin',
      form: async (_own, it) => ({
        agentId: (await makeAgent(it)).agentId,
        toolId: await toolOf(it, 'file.read'),
        config: '{}',
      }),
    },
    attachDefaultSet: onAgent(({ agentId, seen }) => ({ agentId, seen })),
    detachFromAgent: {
      needs: 'admin',
      form: async (_own, it) => {
        const { agentId } = await makeAgent(it)
        const toolId = await toolOf(it, 'file.read')
        const whose = {
          workspaceId: it.workspaceId,
          actor: { kind: 'system', id: 'test' } as const,
          validate: () => [],
        }
        await attachInDraft(it.db, { ...whose, agentId, toolId, config: null })
        return { agentId, toolId }
      },
    },
    discardAgentDraft: onAgent(({ agentId, seen }) => ({ agentId, seen })),
    publishAgent: onAgent(({ agentId, seen }) => ({ agentId, seen, note: 'By a test.' })),
    rollBackAgent: onAgent(({ agentId, seen }) => ({ agentId, seen, to: '1' })),
    putAgentAway: onAgent(({ agentId }) => ({ agentId })),
    bringAgentBack: {
      needs: 'admin',
      form: async (_own, it) => {
        const { agentId } = await makeAgent(it)
        await it.db.pool.query('UPDATE agents SET archived_at = now() WHERE id = $1', [agentId])
        return { agentId }
      },
    },
    bindAgent: {
      needs: 'admin',
      form: async (own, it) => ({
        agentId: (await makeAgent(it)).agentId,
        channelId: await slackOf(it),
        place: `C0AGENT${own.role.toUpperCase()}`,
      }),
    },
    unbindAgent: {
      needs: 'admin',
      form: async (own, it) => ({ channelId: await slackOf(it), place: `C0AGENT${own.role.toUpperCase()}` }),
    },
  },
  looks: async (it) => {
    const { id } = await it.db.prisma.agent.findFirstOrThrow({ where: { workspaceId: it.workspaceId, slug: 'harbor' } })
    const tool = await toolOf(it, 'k8s.logs')
    return [...tabs.map((tab) => `/agents/${id}${tab}`), `/agents/${id}/tools?tool=${tool}`, '/agents?show=archived']
  },
} satisfies AreaUnderTest
