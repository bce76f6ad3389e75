import { ArrowRight, FilePen } from 'lucide-react'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { Button } from '../../../components/button.tsx'
import { TabLinks } from '../../../components/tab-links.tsx'
import { Tag } from '../../../components/tag.tsx'
import { data } from '../../../data.ts'
import { createCheck, withContent } from '../../../policy/compile-policy.ts'
import { findDead } from '../../../policy/find-dead.ts'
import type { PolicyView } from '../../../policy/read-policy.ts'
import { PageHeader } from '../../../shell/page-header.tsx'
import { toolKit } from '../../../tool-kit.ts'
import { DeadPatterns } from './dead-patterns.tsx'
import { VocabularyProvider } from './vocabulary.tsx'

const tabs = [
  { href: '/policies', label: 'Workspace' },
  { href: '/policies/rules', label: 'Rules' },
  { href: '/policies/hooks', label: 'Hooks' },
  { href: '/policies/profiles', label: 'Profiles & groups' },
  { href: '/policies/layers', label: 'Providers & skills' },
  { href: '/policies/explain', label: 'Explain a call' },
]

/** What stands around every page of the area: its tabs, whether a draft is shown, and what is dead in it. */
export function Frame({ view, chosen, children }: { view: PolicyView; chosen: string; children: ReactNode }) {
  const { draft, live } = view
  const changes = draft ? data.changedParts(live, draft.content).length : 0
  const patterns = toolKit
    .patternVocabulary(view.tools.list(), withContent(view.stored, view.content).config.groups)
    .map(({ pattern, tools }) => [pattern, tools] as [string, number])
  return (
    <>
      <PageHeader title="Policies">
        {draft ? (
          <div className="flex flex-wrap items-center gap-2">
            <Tag tone="accent" dot>
              Draft by {draft.updatedBy.name}, not in force
            </Tag>
            <Button look="primary" asChild>
              <Link href="/policies/draft">
                Review {changes} change{changes === 1 ? '' : 's'} <ArrowRight aria-hidden="true" />
              </Link>
            </Button>
          </div>
        ) : (
          <Tag tone="ok" dot>
            Live
          </Tag>
        )}
      </PageHeader>
      <TabLinks label="Policies" tabs={tabs} chosen={chosen} />
      <VocabularyProvider patterns={patterns}>
        <div className="grid max-w-5xl grid-cols-[minmax(0,1fr)] gap-3 p-4 md:p-5">
          {view.mayEdit && !draft && chosen !== '/policies/explain' && (
            <p className="flex items-center gap-2 text-ink-3 text-xs">
              <FilePen aria-hidden="true" className="size-3.5 shrink-0" />
              What you save here goes into a draft. It is tried on recorded calls and published when you say so.
            </p>
          )}
          <Problems problems={createCheck(view.installation, [])(withContent(view.stored, view.content))} />
          {children}
          <DeadPatterns dead={findDead(view)} where={draft ? 'draft' : 'live policy'} />
        </div>
      </VocabularyProvider>
    </>
  )
}

/** A policy that cannot be compiled refuses everything; nothing that is saved here can bring that about. */
function Problems({ problems }: { problems: readonly string[] }) {
  if (!problems.length) return null
  return (
    <div role="alert" className="rounded-[10px] border border-bad/50 bg-bad-soft px-4 py-3 text-bad">
      <p className="font-semibold text-sm">This policy cannot be used, so every tool call is refused:</p>
      <ul className="list-inside list-disc text-xs">
        {problems.slice(0, 10).map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </div>
  )
}
