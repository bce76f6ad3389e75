import { FilePen } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { Button } from '../../../../components/button.tsx'
import { Card } from '../../../../components/card.tsx'
import { ConfirmButton } from '../../../../components/confirm-button.tsx'
import { EmptyState } from '../../../../components/empty-state.tsx'
import { Tag } from '../../../../components/tag.tsx'
import { When } from '../../../../components/when.tsx'
import { data } from '../../../../data.ts'
import { describeChanges } from '../../../../policy/describe-changes.ts'
import { findDead } from '../../../../policy/find-dead.ts'
import { parsePeriod } from '../../../../policy/periods.ts'
import { readPolicyView } from '../../../../policy/read-policy.ts'
import { requireMember } from '../../../../session.ts'
import { PageHeader } from '../../../../shell/page-header.tsx'
import { readZone } from '../../../../viewer-zone.ts'
import { discardDraft, publishDraft } from '../actions.ts'
import { DeadPatterns } from '../dead-patterns.tsx'
import { Changes } from './changes.tsx'
import { Rebase } from './rebase.tsx'
import { WhatIf } from './what-if.tsx'

export const metadata: Metadata = { title: 'Draft of the policy' }

export default async function DraftPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>
}) {
  const current = await requireMember('admin')
  const [view, timezone] = await Promise.all([readPolicyView(current), readZone(current.membership.workspaceId)])
  const { draft, live, seen } = view
  if (!draft)
    return (
      <>
        <PageHeader title="Draft of the policy" />
        <EmptyState icon={FilePen} title="There is no draft">
          <p>
            What you save under Policies goes into one. Here you then see what it changes and whom it would have met.
          </p>
          <Button asChild className="mt-3">
            <Link href="/policies">Go to the policy</Link>
          </Button>
        </EmptyState>
      </>
    )
  const changes = data.changedParts(live, draft.content)
  const lines = describeChanges(changes, { before: live, after: draft.content })
  const since = data.changedParts(draft.base, live)
  const count = `${changes.length} change${changes.length === 1 ? '' : 's'}`
  return (
    <>
      <header className="flex min-h-12 flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line border-b px-4 py-2 md:px-5">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <Link href="/policies" className="text-ink-3 hover:text-ink">
            Policies <span aria-hidden="true">/</span>
          </Link>
          <h1 className="font-semibold text-base">Draft by {draft.updatedBy.name}</h1>
          <Tag tone="accent" dot>
            {count}
          </Tag>
          <span className="text-ink-3 text-xs">
            <When date={draft.updatedAt} now={new Date()} timezone={timezone} />
          </span>
        </div>
        <div className="flex items-center gap-2">
          <ConfirmButton
            action={discardDraft}
            fields={{ seen }}
            title={`Discard this draft (${count})?`}
            about="Everything that was prepared in it is lost, whoever prepared it. The live policy stands as it is."
            confirm="Discard it"
            trigger={<Button>Discard</Button>}
          />
          <ConfirmButton
            action={publishDraft}
            fields={{ seen }}
            title={`Publish ${count}?`}
            about="They hold for every agent of this workspace from its next call on, also of runs that are under way. The audit log keeps what was before."
            confirm="Publish"
            keep="Not yet"
            trigger={<Button look="primary">Publish…</Button>}
          />
        </div>
      </header>
      <div className="grid max-w-6xl grid-cols-[minmax(0,1fr)] gap-3 p-4 md:p-5">
        {since.length > 0 && <Rebase seen={seen} lines={describeChanges(since, { before: draft.base, after: live })} />}
        <Card aria-labelledby="changes">
          <h2 id="changes" className="px-4 pt-3 pb-1.5 font-semibold text-sm">
            Changes
          </h2>
          <Changes lines={lines} label="What this draft changes" />
        </Card>
        <WhatIf key={seen} period={parsePeriod((await searchParams).days).value} seen={seen} timezone={timezone} />
        <DeadPatterns dead={findDead(view)} where="draft" />
      </div>
    </>
  )
}
