import { ArrowLeft } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { cache } from 'react'
import { Button } from '../../../../components/button.tsx'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { ConfirmButton } from '../../../../components/confirm-button.tsx'
import { Facts } from '../../../../components/facts.tsx'
import { Cell, HeadCell, Row, Table } from '../../../../components/table.tsx'
import { Tag } from '../../../../components/tag.tsx'
import { When } from '../../../../components/when.tsx'
import { data } from '../../../../data.ts'
import { runtime } from '../../../../runtime.ts'
import { findCurrentMember, requireMember } from '../../../../session.ts'
import { PageHeader } from '../../../../shell/page-header.tsx'
import { readZone } from '../../../../viewer-zone.ts'
import { retireValue } from '../actions.ts'
import { LastUse } from '../last-use.tsx'
import { keyState } from '../queries.ts'
import { SecretForm } from '../secret-form.tsx'
import { ExpiryForm } from './expiry-form.tsx'

/** Once a request: for the page and for its title. */
const findSecret = cache((workspaceId: string, id: string) =>
  data.findSecret(runtime().db, { workspaceId, secretId: id.slice(0, 64) }),
)

export async function generateMetadata({ params }: { params: Promise<{ id: string }> }): Promise<Metadata> {
  const membership = (await findCurrentMember())?.membership
  const mayRead = membership && data.atLeast(membership.role, 'admin')
  const secret = mayRead ? await findSecret(membership.workspaceId, (await params).id) : null
  return { title: secret?.name ?? 'A secret' }
}

export default async function SecretPage({ params }: { params: Promise<{ id: string }> }) {
  const { membership } = await requireMember('admin')
  const { workspaceId } = membership
  const { db } = runtime()
  const [secret, scopes, settings, timezone] = await Promise.all([
    findSecret(workspaceId, (await params).id),
    data.listScopes(db, workspaceId),
    data.readSettings(db, workspaceId),
    readZone(workspaceId),
  ])
  if (!secret) notFound()
  const scope = scopes.find(({ id }) => id === secret.scope.id)
  const current = secret.versions.find(({ retiredAt }) => !retiredAt) ?? null
  const shown = { now: new Date(), timezone }
  const agents = scope?.agents.map(({ name }) => name).join(', ')
  return (
    <>
      <PageHeader title={secret.name}>
        {secret.retired ? (
          <Tag>retired</Tag>
        ) : (
          <ConfirmButton
            action={retireValue}
            fields={{ name: secret.name }}
            title={`Retire ${secret.name}?`}
            about={`Its value is destroyed and cannot be brought back${agents ? `; ${agents} get it no more` : ''}. The name and the history stay.`}
            confirm="Retire it"
            trigger={
              <Button look="danger" aria-label={`Retire ${secret.name}`}>
                Retire
              </Button>
            }
          />
        )}
      </PageHeader>
      <div className="grid max-w-6xl gap-3 p-4 md:p-5">
        <Link href="/secrets" className="flex w-fit items-center gap-1 text-ink-3 hover:text-ink">
          <ArrowLeft aria-hidden="true" className="size-3.5" />
          All secrets
        </Link>
        <div className="grid items-start gap-3 lg:grid-cols-2">
          <Card aria-labelledby="about">
            <CardHeader id="about" title="About" />
            <div className="px-4 pt-1 pb-4">
              <Facts
                facts={[
                  ['Scope', <code key="scope">{secret.scope.name}</code>],
                  ['Opens', scope?.description],
                  ['Made', <When key="made" date={secret.createdAt} {...shown} />],
                  ['Last use', <LastUse key="use" use={secret.lastUse} {...shown} />],
                  [
                    'In the run',
                    secret.lastUse?.run && (
                      <Link
                        key="run"
                        href={`/runs/${secret.lastUse.run.id}`}
                        className="text-accent-strong underline underline-offset-2"
                      >
                        {secret.lastUse.run.title}
                      </Link>
                    ),
                  ],
                  ['Granted to', agents || 'no agent'],
                ]}
              />
            </div>
          </Card>
          {current && (
            <Card aria-labelledby="expiry">
              <CardHeader id="expiry" title="Expiry" about="For when the other side ends it as well." />
              <div className="px-4 pt-1 pb-4">
                <ExpiryForm secretId={secret.id} day={dayOf(current.expiresAt, settings.timezone)} />
              </div>
            </Card>
          )}
          <Card aria-labelledby="rotate">
            <CardHeader
              id="rotate"
              title={secret.retired ? 'Bring it back' : 'Rotate'}
              about="A new version; the value before is destroyed in the same moment."
            />
            <SecretForm scope={secret.scope.name} name={secret.name} />
          </Card>
          <Card aria-labelledby="versions">
            <CardHeader id="versions" title="Versions" />
            <Table label="Versions">
              <thead>
                <tr>
                  <HeadCell>Version</HeadCell>
                  <HeadCell>Stored</HeadCell>
                  <HeadCell>Until</HeadCell>
                  <HeadCell className="text-right">Sealed with</HeadCell>
                </tr>
              </thead>
              <tbody>
                {secret.versions.map(({ version, createdAt, expiresAt, retiredAt, keyId }) => {
                  const key = keyState(keyId)
                  const end = retiredAt ?? expiresAt
                  return (
                    <Row key={version}>
                      <Cell className="tabular-nums">
                        {version} {retiredAt ? <Tag>destroyed</Tag> : <Tag tone="ok">current</Tag>}
                      </Cell>
                      <Cell className="text-ink-2">
                        <When date={createdAt} {...shown} />
                      </Cell>
                      <Cell className="text-ink-2">{end ? <When date={end} {...shown} /> : '—'}</Cell>
                      <Cell className="text-right">
                        {retiredAt ? <span className="text-ink-3">—</span> : <Tag tone={key.tone}>{key.text}</Tag>}
                      </Cell>
                    </Row>
                  )
                })}
              </tbody>
            </Table>
          </Card>
        </div>
      </div>
    </>
  )
}

/** The day of a moment in a zone, as a date field has it. */
const dayOf = (date: Date | null, timeZone: string) =>
  date ? new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(date) : ''
