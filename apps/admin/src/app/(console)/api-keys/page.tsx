import type { Metadata } from 'next'
import { Card, CardHeader } from '../../../components/card.tsx'
import { OlderLink } from '../../../components/older-link.tsx'
import { data } from '../../../data.ts'
import { pageOf, parsePageKey } from '../../../paging.ts'
import { runtime } from '../../../runtime.ts'
import { requireMember } from '../../../session.ts'
import { PageHeader } from '../../../shell/page-header.tsx'
import { readZone } from '../../../viewer-zone.ts'
import { ApiKeyList } from './api-key-list.tsx'
import { MakeKeyForm } from './make-key-form.tsx'

export const metadata: Metadata = { title: 'API keys' }

const pageRows = 50

export default async function ApiKeysPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>
}) {
  const { membership } = await requireMember('viewer')
  const { workspaceId, memberId, role } = membership
  const seesAll = data.atLeast(role, 'admin')
  const { after } = await searchParams
  const { db } = runtime()
  const [found, timezone] = await Promise.all([
    data.listApiKeys(db, {
      ...{ workspaceId, after: parsePageKey(after), limit: pageRows + 1 },
      ...(seesAll ? {} : { memberId }),
    }),
    readZone(workspaceId),
  ])
  const { rows, next } = pageOf(found, pageRows, ({ createdAt, id }) => ({ at: createdAt, id }))
  return (
    <>
      <PageHeader title="API keys" />
      <div className="grid max-w-4xl gap-3 p-4 md:p-5">
        <Card aria-labelledby="make">
          <CardHeader
            id="make"
            title="Make a key"
            about={`It acts as you: it can do what your role (${role}) can, in its scopes, and nothing once you are disabled.`}
          />
          <MakeKeyForm />
        </Card>
        <Card aria-labelledby="keys">
          <CardHeader id="keys" title={seesAll ? 'Keys of everybody' : 'Your keys'} />
          <ApiKeyList keys={rows} showMember={seesAll} mayRevoke now={new Date()} timezone={timezone} />
        </Card>
        <OlderLink href={next && `/api-keys?${new URLSearchParams({ after: next })}`} />
      </div>
    </>
  )
}
