import type { Metadata } from 'next'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { requireMember } from '../../../../session.ts'
import { PageHeader } from '../../../../shell/page-header.tsx'
import { listCopyable } from '../queries.ts'
import { templates } from '../templates.ts'
import { NewAgentForm } from './new-agent-form.tsx'

export const metadata: Metadata = { title: 'New agent' }

export default async function NewAgentPage() {
  const { membership } = await requireMember('admin')
  const agents = await listCopyable(membership.workspaceId)
  return (
    <>
      <PageHeader title="New agent" />
      <div className="max-w-2xl p-4 md:p-5">
        <Card aria-labelledby="new-agent">
          <CardHeader
            id="new-agent"
            title="What it is called, and what it begins as"
            about="It is a draft until you publish it. Everything can be changed before and after."
          />
          <NewAgentForm
            agents={agents}
            templates={Object.entries(templates).map(([value, { label, about }]) => ({ value, label, about }))}
          />
        </Card>
      </div>
    </>
  )
}
