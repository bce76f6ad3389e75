import type { Metadata } from 'next'
import { readAgentTools } from '../../../../agents/read-tools.ts'
import { writeSeen } from '../../../../agents/seen.ts'
import { data } from '../../../../data.ts'
import { runtime } from '../../../../runtime.ts'
import { toolKit } from '../../../../tool-kit.ts'
import { readAgentView } from '../queries.ts'
import { ConfigurationForm } from './configuration/configuration-form.tsx'
import { NameForm } from './configuration/name-form.tsx'
import { Frame } from './frame.tsx'

export const metadata: Metadata = { title: 'Agent' }

export default async function AgentPage({ params }: { params: Promise<{ id: string }> }) {
  const view = await readAgentView(params)
  const { agent, workspaceId, configuration, mayEdit } = view
  const { db } = runtime()
  const [stored, members, tools] = await Promise.all([
    data.loadPolicy(db, workspaceId),
    data.listMembers(db, workspaceId),
    readAgentTools(workspaceId),
  ])
  const builtin = [...toolKit.builtinProfiles].map(([name, { description }]) => ({ name, about: description ?? '' }))
  const own = Object.entries(stored?.config.profiles ?? {}).map(([name, { description }]) => ({
    name,
    about: description,
  }))
  return (
    <Frame view={view} tab="">
      <div className="grid max-w-5xl grid-cols-[minmax(0,1fr)] gap-3 p-4 md:p-5">
        <h2 className="sr-only">Configuration</h2>
        <ConfigurationForm
          agentId={agent.id}
          seen={writeSeen(agent.seen)}
          configuration={configuration}
          mayEdit={mayEdit}
          tiers={data.tierNames.map((name) => ({ name, model: data.defaultTiers[name] }))}
          providers={[...new Set(['anthropic', ...Object.keys(stored?.config.providers ?? {})])]}
          profiles={[...builtin, ...own]}
          vocabulary={toolKit.patternVocabulary([...tools.described.values()], stored?.config.groups)}
          members={members
            .filter(({ disabledAt, id }) => !disabledAt || configuration.approvers.memberIds?.includes(id))
            .map(({ id, name, role }) => ({ id, name, role }))}
        />
        <NameForm
          agentId={agent.id}
          name={agent.name}
          description={agent.description}
          mayEdit={mayEdit}
          slug={agent.slug}
        />
      </div>
    </Frame>
  )
}
