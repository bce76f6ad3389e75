import type { ReactNode } from 'react'
import { data } from '../../../data.ts'
import { requireMember } from '../../../session.ts'
import { PageHeader } from '../../../shell/page-header.tsx'
import { SectionTabs } from './section-tabs.tsx'
import { sections } from './sections.ts'

export default async function SettingsLayout({ children }: { children: ReactNode }) {
  const { membership } = await requireMember('viewer')
  const shown = sections.filter((section) => data.atLeast(membership.role, section.minimumRole))
  return (
    <>
      <PageHeader title="Settings" />
      <SectionTabs sections={shown} />
      <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-3 p-4 md:p-5">{children}</div>
    </>
  )
}
