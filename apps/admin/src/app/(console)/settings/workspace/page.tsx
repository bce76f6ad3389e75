import type { Metadata } from 'next'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { data } from '../../../../data.ts'
import { formatWhen } from '../../../../format.ts'
import { runtime } from '../../../../runtime.ts'
import { requireMember } from '../../../../session.ts'
import { ChoicesForm, NameForm } from './forms.tsx'

export const metadata: Metadata = { title: 'Workspace' }

export default async function WorkspacePage() {
  const { membership } = await requireMember('admin')
  const settings = await data.readSettings(runtime().db, membership.workspaceId)
  return (
    <>
      <Card aria-labelledby="name-card">
        <CardHeader id="name-card" title="Name" about="What members see in the console and on approval cards." />
        <NameForm name={membership.workspaceName} />
      </Card>
      <Card aria-labelledby="choices-card">
        <CardHeader id="choices-card" title="Dates and questions" about="For the whole workspace." />
        <ChoicesForm
          settings={settings}
          timezones={timezonesWith(settings.timezone)}
          now={`It is ${formatWhen(new Date(), settings.timezone)} there.`}
        />
      </Card>
    </>
  )
}

/** UTC and every zone that this Node knows by name, and the stored one even if it does not. */
function timezonesWith(chosen: string): string[] {
  return [...new Set(['UTC', chosen, ...Intl.supportedValuesOf('timeZone')])].sort((one, other) =>
    one === 'UTC' ? -1 : other === 'UTC' ? 1 : one.localeCompare(other),
  )
}
