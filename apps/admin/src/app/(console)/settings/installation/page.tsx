import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { Cell, HeadCell, Row, Table } from '../../../../components/table.tsx'
import { Tag } from '../../../../components/tag.tsx'
import { When } from '../../../../components/when.tsx'
import { requireMember } from '../../../../session.ts'
import { Refresher } from '../../../../shell/refresher.tsx'
import { readZone } from '../../../../viewer-zone.ts'
import { summariseHealth } from '../../overview/health.ts'
import { readInstallation } from './queries.ts'

export const metadata: Metadata = { title: 'Installation' }

export default async function InstallationPage() {
  const { membership } = await requireMember('admin')
  const [installation, timezone] = await Promise.all([readInstallation(), readZone(membership.workspaceId)])
  const { database, migrations, key, processes } = installation
  const bots = processes.filter((process) => process.kind === 'bot')
  const sandbox = summariseHealth(bots).find((row) => row.name === 'Sandbox')?.health
  const now = new Date()
  return (
    <>
      <Card aria-labelledby="installation">
        <CardHeader id="installation" title="Installation">
          <Refresher everySeconds={10} />
        </CardHeader>
        <dl className="grid grid-cols-[120px_minmax(0,1fr)] gap-y-2 px-4 pt-1 pb-4">
          <Fact name="Version">
            {installation.version} <Quiet>on Node {installation.node.slice(1)}</Quiet>
          </Fact>
          <Fact name="Database">
            PostgreSQL {database.version}, {database.embedded ? 'embedded' : 'your own'}{' '}
            <Quiet>
              {database.where} · {database.size}
            </Quiet>
          </Fact>
          <Fact name="Migrations">
            {migrations.pending.length ? (
              <Tag tone="bad">{migrations.pending.length} missing: run npm run db:migrate</Tag>
            ) : (
              <>
                all {migrations.applied} applied <Quiet>newest {migrations.newest}</Quiet>
              </>
            )}
          </Fact>
          <Fact name="Master key">
            <code className="font-mono text-xs">{key.fingerprint}</code> <Quiet>from {key.from}</Quiet>
            {key.previous && (
              <>
                {' '}
                <Tag tone="warn">rotation from {key.previous} under way</Tag>
              </>
            )}
          </Fact>
          <Fact name="Sandbox">
            {sandbox ? (
              <>
                {sandbox.detail} {sandbox.next && <Quiet>→ {sandbox.next}</Quiet>}
              </>
            ) : (
              <Quiet>No bot is alive to say.</Quiet>
            )}
          </Fact>
        </dl>
      </Card>
      <Card aria-labelledby="processes">
        <CardHeader
          id="processes"
          title="Processes"
          about="Those that said within the last seconds that they are alive."
        />
        <Table label="Processes">
          <thead>
            <tr>
              <HeadCell>Kind</HeadCell>
              <HeadCell>Machine</HeadCell>
              <HeadCell className="text-right">Pid</HeadCell>
              <HeadCell>Roles</HeadCell>
              <HeadCell>Version</HeadCell>
              <HeadCell className="text-right">Started</HeadCell>
            </tr>
          </thead>
          <tbody>
            {processes.map((process) => (
              <Row key={process.id}>
                <Cell className="font-medium">{process.kind}</Cell>
                <Cell className="text-ink-2">{process.host}</Cell>
                <Cell className="text-right text-ink-2 tabular-nums">{process.pid}</Cell>
                <Cell className="text-ink-2">{process.roles.join(', ') || '—'}</Cell>
                <Cell className="text-ink-2 tabular-nums">{process.version}</Cell>
                <Cell className="text-right text-ink-3">
                  <When date={process.startedAt} now={now} timezone={timezone} />
                </Cell>
              </Row>
            ))}
          </tbody>
        </Table>
      </Card>
    </>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  )
}

function Quiet({ children }: { children: ReactNode }) {
  return <span className="text-ink-3 text-xs">{children}</span>
}
