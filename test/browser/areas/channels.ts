import type { AreaUnderTest, TestedAction } from '../area.ts'

type Place = { channelId: string; agentId: string; place: string }

/** A form about the demo's connection to Slack, and a place where it was spoken to. */
const onSlack =
  (form: (slack: Place, role: string) => Record<string, string>): TestedAction['form'] =>
  async (own, it) => {
    const { id, defaultAgentId } = await it.db.prisma.channel.findFirstOrThrow({
      where: { workspaceId: it.workspaceId, kind: 'slack' },
    })
    const { externalKey } = await it.db.prisma.conversation.findFirstOrThrow({ where: { channelId: id } })
    const slack = { channelId: id, agentId: defaultAgentId as string, place: externalKey.split(':')[0] as string }
    return form(slack, own.role.toUpperCase())
  }

const onPage = (form: TestedAction['form']): TestedAction => ({ needs: 'admin', form })

export default {
  pages: { '/channels': 'admin' },
  actions: {
    saveDefaultAgent: onPage(async (_own, it) => {
      const channel = await it.db.prisma.channel.findFirstOrThrow({
        where: { workspaceId: it.workspaceId, kind: 'slack' },
      })
      const other = await it.db.prisma.agent.findFirstOrThrow({
        where: { workspaceId: it.workspaceId, archivedAt: null, id: { not: channel.defaultAgentId ?? '' } },
      })
      return { channelId: channel.id, agentId: other.id }
    }),
    bindPlace: onPage(onSlack(({ channelId, agentId }, role) => ({ channelId, agentId, place: `C0${role}` }))),
    unbindPlace: onPage(onSlack(({ channelId }, role) => ({ channelId, place: `C0${role}` }))),
    saveWhoMayTalk: onPage(onSlack(({ channelId }, role) => ({ channelId, who: 'team', allow: `U0${role}` }))),
    letIn: onPage(onSlack(({ channelId }) => ({ channelId, person: 'U0STRANGER' }))),
    sendTest: onPage(onSlack(({ channelId, place }) => ({ channelId, place }))),
  },
} satisfies AreaUnderTest
