import { Users } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { Card, CardHeader } from '../../../components/card.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { FilterBar, FilterSearch, FilterSelect } from '../../../components/filters.tsx'
import { OlderLink } from '../../../components/older-link.tsx'
import { Cell, HeadCell, Row, Table } from '../../../components/table.tsx'
import { Tag } from '../../../components/tag.tsx'
import { When } from '../../../components/when.tsx'
import { data } from '../../../data.ts'
import { roleOptions } from '../../../describe-role.ts'
import { runtime } from '../../../runtime.ts'
import { requireMember } from '../../../session.ts'
import { PageHeader } from '../../../shell/page-header.tsx'
import { readZone } from '../../../viewer-zone.ts'
import { InviteForm } from './invite-form.tsx'
import { KnownOn } from './known-on.tsx'
import { PendingInvitations } from './pending-invitations.tsx'
import { findMembers, parseFilter } from './queries.ts'

export const metadata: Metadata = { title: 'Members' }

const roomy = 'max-md:hidden'
const states = [
  { value: 'enabled', label: 'Enabled' },
  { value: 'disabled', label: 'Disabled' },
]

export default async function MembersPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>
}) {
  const { membership } = await requireMember('viewer')
  const { workspaceId, role } = membership
  const mayManage = data.atLeast(role, 'admin')
  const query = await searchParams
  const [{ members, next }, invitations, timezone] = await Promise.all([
    findMembers(workspaceId, parseFilter(query), query.after),
    mayManage ? data.listInvitations(runtime().db, workspaceId) : [],
    readZone(workspaceId),
  ])
  const now = new Date()
  // Whoever looks for somebody has the list right under the filters.
  const isLooking = Object.keys(query).length > 0
  const given = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return (
    <>
      <PageHeader title="Members" />
      <FilterBar names={['q', 'role', 'state']}>
        <FilterSearch label="Name or e-mail" />
        <FilterSelect name="role" label="Role" any="Any role" options={roleOptions} />
        <FilterSelect name="state" label="State" any="Any state" options={states} />
      </FilterBar>
      <div className="grid max-w-6xl gap-3 p-4 md:p-5">
        {mayManage && !isLooking && (
          <Card aria-labelledby="invite">
            <CardHeader
              id="invite"
              title="Invite somebody"
              about="You get a link to give them. People on Slack and Telegram join by writing to the bot, where Channels lets them."
            />
            <InviteForm roles={roleOptions.filter(({ value }) => value !== 'owner' || role === 'owner')} />
          </Card>
        )}
        {!isLooking && <PendingInvitations invitations={invitations} now={now} timezone={timezone} />}
        <Card aria-labelledby="everybody">
          <CardHeader id="everybody" title="Everybody" />
          {members.length === 0 ? (
            <EmptyState icon={Users} title="Nobody is like that">
              Clear the filters to see everybody.
            </EmptyState>
          ) : (
            <Table label="Members">
              <thead>
                <tr>
                  <HeadCell>Name</HeadCell>
                  <HeadCell>Role</HeadCell>
                  <HeadCell className={roomy}>Known on</HeadCell>
                  <HeadCell className="text-right">Last seen</HeadCell>
                </tr>
              </thead>
              <tbody>
                {members.map((member) => (
                  <Row key={member.id}>
                    <Cell className="w-1/3 min-w-36 max-w-0 py-1.5">
                      <Link
                        href={`/members/${member.id}`}
                        className="block truncate font-medium underline-offset-2 hover:underline"
                      >
                        {member.name}
                      </Link>
                      {member.email && <p className="truncate text-ink-3 text-xs">{member.email}</p>}
                    </Cell>
                    <Cell>
                      <span className="flex flex-wrap gap-1 py-1">
                        <Tag tone={member.role === 'owner' ? 'accent' : 'mute'}>{member.role}</Tag>
                        {member.disabledAt && <Tag tone="bad">disabled</Tag>}
                      </span>
                    </Cell>
                    <Cell className={roomy}>
                      <KnownOn identities={member.identities} />
                    </Cell>
                    <Cell className="text-right text-ink-3">
                      {member.seenAt ? <When date={member.seenAt} now={now} timezone={timezone} /> : 'never'}
                    </Cell>
                  </Row>
                ))}
              </tbody>
            </Table>
          )}
        </Card>
        <OlderLink
          label="More of them"
          href={
            next && `/members?${new URLSearchParams([...given.filter(([name]) => name !== 'after'), ['after', next]])}`
          }
        />
      </div>
    </>
  )
}
