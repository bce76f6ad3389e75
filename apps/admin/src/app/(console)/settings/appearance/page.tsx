import type { Metadata } from 'next'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { requireMember } from '../../../../session.ts'
import { ThemePicker } from './theme-picker.tsx'

export const metadata: Metadata = { title: 'Appearance' }

export default async function AppearancePage() {
  await requireMember('viewer')
  return (
    <Card aria-labelledby="theme">
      <CardHeader id="theme" title="Theme" about="For this browser only." />
      <ThemePicker />
    </Card>
  )
}
