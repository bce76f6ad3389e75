import { ArrowLeft } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { cache } from 'react'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { Facts } from '../../../../components/facts.tsx'
import { Tag } from '../../../../components/tag.tsx'
import { When } from '../../../../components/when.tsx'
import { data } from '../../../../data.ts'
import { roleAbout, roleOptions } from '../../../../describe-role.ts'
import { runtime } from '../../../../runtime.ts'
import { findCurrentMember, requireMember } from '../../../../session.ts'
import { PageHeader } from '../../../../shell/page-header.tsx'
import { readZone } from '../../../../viewer-zone.ts'
import { ApiKeyList } from '../../api-keys/api-key-list.tsx'
import { findLoginId, listThreadApprovals, readMember } from '../queries.ts'
import { DisableButton, EnableButton } from './disable-button.tsx'
import { Identities } from './identities.tsx'
import { RoleForm } from './role-form.tsx'
import { Sessions } from './sessions.tsx'
import { ThreadApprovals } from './thread-approvals.tsx'

/** Once a request: for the page and for its title. */
const findMember = cache(readMember)

export async function generateMetadata({ params }: { params: Promise<{ id: string }> }): Promise<Metadata> {
  const current = await findCurrentMember()
  const member = current && (await findMember(current.membership.workspaceId, (await params).id))
  return { title: member?.name ?? 'A member' }
}

export default async function MemberPage({ params }: { params: Promise<{ id: string }> }) {
  const { membership } = await requireMember('viewer')
  const { workspaceId } = membership
  const { db } = runtime()
  const member = await findMember(workspaceId, (await params).id)
  if (!member) notFound()
  const mayManage = data.atLeast(membership.role, 'admin')
  const isSelf = member.id === membership.memberId
  const loginId = await findLoginId(workspaceId, member.id)
  const [timezone, sessions, keys, approvals] = await Promise.all([
    readZone(workspaceId),
    mayManage && loginId ? data.listSessions(db, loginId) : [],
    mayManage || isSelf ? data.listApiKeys(db, { workspaceId, memberId: member.id, limit: 20 }) : [],
    listThreadApprovals(workspaceId, member.id),
  ])
  const shown = { now: new Date(), timezone }
  // An admin sees what an owner is, and an owner changes it.
  const mayChange = mayManage && (member.role !== 'owner' || membership.role === 'owner')
  return (
    <>
      <PageHeader title={member.name}>
        {mayChange && (member.disabledAt ? <EnableButton member={member} /> : <DisableButton member={member} />)}
      </PageHeader>
      <div className="grid max-w-6xl gap-3 p-4 md:p-5">
        <Link href="/members" className="flex w-fit items-center gap-1 text-ink-3 hover:text-ink">
          <ArrowLeft aria-hidden="true" className="size-3.5" />
          All members
        </Link>
        <div className="grid items-start gap-3 lg:grid-cols-2">
          <Card aria-labelledby="about">
            <CardHeader id="about" title="About">
              <span className="flex gap-1">
                <Tag tone={member.role === 'owner' ? 'accent' : 'mute'}>{member.role}</Tag>
                {member.disabledAt && <Tag tone="bad">disabled</Tag>}
              </span>
            </CardHeader>
            <div className="px-4 pt-1 pb-4">
              <Facts
                facts={[
                  ['E-mail', member.email],
                  ['May', roleAbout[member.role]],
                  ['Joined', <When key="joined" date={member.createdAt} {...shown} />],
                  ['Last seen', member.seenAt ? <When key="seen" date={member.seenAt} {...shown} /> : 'never'],
                  ['Disabled', member.disabledAt && <When key="disabled" date={member.disabledAt} {...shown} />],
                  [
                    'Runs',
                    <Link
                      key="runs"
                      href={`/runs?member=${member.id}`}
                      className="text-accent-strong underline underline-offset-2"
                    >
                      What they asked for
                    </Link>,
                  ],
                ]}
              />
            </div>
          </Card>
          {mayChange && (
            <Card aria-labelledby="role-heading">
              <CardHeader id="role-heading" title="Role" about="It counts from the next click or message on." />
              <RoleForm
                memberId={member.id}
                role={member.role}
                roles={roleOptions.filter(({ value }) => value !== 'owner' || membership.role === 'owner')}
              />
            </Card>
          )}
          <Identities member={member} mayUnlink={mayChange} {...shown} />
          {mayManage && <Sessions member={member} sessions={sessions} {...shown} />}
          <ThreadApprovals approvals={approvals} mayRevoke={mayManage} {...shown} />
          {(mayManage || isSelf) && (
            <Card aria-labelledby="keys">
              <CardHeader id="keys" title="API keys" about="They can do what this member can, in their scopes." />
              <ApiKeyList keys={keys} showMember={false} mayRevoke {...shown} />
            </Card>
          )}
        </div>
      </div>
    </>
  )
}
