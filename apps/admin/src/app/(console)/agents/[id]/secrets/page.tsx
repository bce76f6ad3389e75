import { KeyRound } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { readAgentTools } from '../../../../../agents/read-tools.ts'
import { Card, CardHeader } from '../../../../../components/card.tsx'
import { EmptyState } from '../../../../../components/empty-state.tsx'
import { When } from '../../../../../components/when.tsx'
import { listGrants, readAgentView } from '../../queries.ts'
import { Frame } from '../frame.tsx'

export const metadata: Metadata = { title: 'Secrets of an agent' }

export default async function AgentSecretsPage({ params }: { params: Promise<{ id: string }> }) {
  const view = await readAgentView(params)
  const { agent, workspaceId, configuration } = view
  const [grants, tools] = await Promise.all([listGrants(workspaceId, agent.id), readAgentTools(workspaceId)])
  const granted = new Set(grants.map(({ name }) => name))
  const lacking = configuration.attachments.flatMap(({ toolId }) => {
    const row = tools.byId.get(toolId)
    const scopes = row?.requiredSecretScopes.filter((scope) => !granted.has(scope)) ?? []
    return row && scopes.length ? [{ name: row.name, scopes }] : []
  })
  return (
    <Frame view={view} tab="/secrets">
      <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-3 p-4 md:p-5">
        <Card aria-labelledby="granted">
          <CardHeader
            id="granted"
            title="Granted scopes"
            about="A tool gets only the secrets of scopes that it needs and that are granted here. A grant counts at once, and is no part of a version."
          >
            {view.mayEdit && (
              <Link href="/secrets" className="shrink-0 text-accent-strong text-xs hover:underline">
                Secrets
              </Link>
            )}
          </CardHeader>
          {grants.length === 0 ? (
            <EmptyState icon={KeyRound} title="No scope is granted">
              Its tools work without secrets. Where one needs some, grant the scope on the page of the secret.
            </EmptyState>
          ) : (
            <ul aria-label="Granted scopes">
              {grants.map(({ id, name, description, grantedBy, grantedAt }) => (
                <li key={id} className="border-line border-t px-4 py-2">
                  <p className="flex flex-wrap items-baseline justify-between gap-x-3">
                    <code className="text-xs">{name}</code>
                    <span className="text-ink-3 text-xs">
                      {grantedBy ?? 'the installation'},{' '}
                      <When date={grantedAt} now={view.now} timezone={view.timezone} />
                    </span>
                  </p>
                  <p className="text-ink-3 text-xs">{description}</p>
                </li>
              ))}
            </ul>
          )}
        </Card>
        {lacking.length > 0 && (
          <Card aria-labelledby="lacking" className="border-warn/50">
            <CardHeader
              id="lacking"
              title="Attached tools that lack a scope"
              about="Their calls fail until it is granted."
            >
              {view.mayEdit && (
                <Link href="/secrets" className="shrink-0 text-accent-strong text-xs hover:underline">
                  Grant it
                </Link>
              )}
            </CardHeader>
            <ul className="pb-2">
              {lacking.map(({ name, scopes }) => (
                <li key={name} className="px-4 py-1 text-ink-2">
                  <code className="text-xs">{name}</code> needs <code className="text-xs">{scopes.join(', ')}</code>
                </li>
              ))}
            </ul>
          </Card>
        )}
      </div>
    </Frame>
  )
}
