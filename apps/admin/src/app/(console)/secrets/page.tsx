import { KeyRound } from 'lucide-react'
import type { Metadata } from 'next'
import { Card, CardHeader } from '../../../components/card.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { data } from '../../../data.ts'
import { runtime } from '../../../runtime.ts'
import { requireMember } from '../../../session.ts'
import { PageHeader } from '../../../shell/page-header.tsx'
import { readZone } from '../../../viewer-zone.ts'
import { LackingTools } from './lacking-tools.tsx'
import { listAgents } from './queries.ts'
import { ScopeCard } from './scope-card.tsx'
import { ScopeForm } from './scope-form.tsx'

export const metadata: Metadata = { title: 'Secrets' }

export default async function SecretsPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>
}) {
  const { membership } = await requireMember('admin')
  const { workspaceId } = membership
  const { db } = runtime()
  const [scopes, secrets, lacking, agents, timezone] = await Promise.all([
    data.listScopes(db, workspaceId),
    data.listSecrets(db, workspaceId),
    data.listLackingTools(db, workspaceId),
    listAgents(workspaceId),
    readZone(workspaceId),
  ])
  const now = new Date()
  const { store } = await searchParams
  return (
    <>
      <PageHeader title="Secrets" />
      <div className="grid max-w-6xl gap-3 p-4 md:p-5">
        <LackingTools lacking={lacking} />
        {scopes.length === 0 && (
          <Card>
            <EmptyState icon={KeyRound} title="No secret yet">
              A tool that signs in somewhere declares a scope, for example github. Make the scope, store the token in
              it, and grant it to the agent that may use it.
            </EmptyState>
          </Card>
        )}
        <div className="grid items-start gap-3 empty:hidden lg:grid-cols-2">
          {scopes.map((scope) => (
            <ScopeCard
              key={scope.id}
              scope={scope}
              secrets={secrets.filter((secret) => secret.scope === scope.name)}
              agents={agents}
              storing={store === scope.name}
              now={now}
              timezone={timezone}
            />
          ))}
        </div>
        <Card aria-labelledby="new-scope">
          <CardHeader
            id="new-scope"
            title="A new scope"
            about="The permission that unlocks secrets. A tool gets a value only where it asks for the scope and its agent was granted it."
          />
          <div className="px-4 pt-1 pb-4">
            <ScopeForm />
          </div>
        </Card>
      </div>
    </>
  )
}
