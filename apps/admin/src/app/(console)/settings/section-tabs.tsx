'use client'

import { usePathname } from 'next/navigation'
import { TabLinks } from '../../../components/tab-links.tsx'
import type { Section } from './sections.ts'

export function SectionTabs({ sections }: { sections: Section[] }) {
  return <TabLinks label="Settings" tabs={sections} chosen={usePathname()} />
}
