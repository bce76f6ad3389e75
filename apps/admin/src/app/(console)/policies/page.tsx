import type { Metadata } from 'next'
import { Card, CardHeader } from '../../../components/card.tsx'
import { Facts } from '../../../components/facts.tsx'
import { describeApproval } from '../../../policy/describe-rule.ts'
import { readPolicyView } from '../../../policy/read-policy.ts'
import { requireMember } from '../../../session.ts'
import { toolKit } from '../../../tool-kit.ts'
import { Frame } from './frame.tsx'
import { listMembers } from './list-members.ts'
import { PatternTags } from './pattern-tags.tsx'
import { profileNames } from './profile-names.ts'
import { WorkspaceForm } from './workspace-form.tsx'

export const metadata: Metadata = { title: 'Policies' }

export default async function PoliciesPage() {
  const current = await requireMember('viewer')
  const view = await readPolicyView(current)
  const { settings } = view.content
  const about =
    'What every agent starts from: a profile, plus what is allowed, minus what is denied. A deny always wins.'
  return (
    <Frame view={view} chosen="/policies">
      <Card aria-labelledby="workspace-layer">
        <CardHeader id="workspace-layer" title="The workspace’s layer" about={about} />
        {view.mayEdit ? (
          <WorkspaceForm
            seen={view.seen}
            settings={settings}
            profiles={profileNames(view)}
            members={await listMembers(view.workspaceId)}
          />
        ) : (
          <div className="px-4 pt-2 pb-4">
            <Facts
              facts={[
                ['Profile', settings.profile],
                ['Allow', <PatternTags key="allow" patterns={settings.allow} none="Nothing beside the profile." />],
                ['Deny', <PatternTags key="deny" patterns={settings.deny} none="Nothing." />],
                [
                  'Questions',
                  describeApproval(settings.approval).join('; ') || 'Answered by approvers, admins and owners',
                ],
              ]}
            />
          </div>
        )}
      </Card>
      <FixedRules rules={view.installation.rules.map(({ name, note }) => ({ name, note: note ?? '' }))} />
      <Order profile={toolKit.builtinProfiles.get(settings.profile)?.description ?? null} name={settings.profile} />
    </Frame>
  )
}

/** What whoever runs the installation fixed: no workspace can undo it, so it is shown where it would be looked for. */
function FixedRules({ rules }: { rules: { name: string; note: string }[] }) {
  if (!rules.length) return null
  return (
    <Card aria-labelledby="fixed-rules">
      <CardHeader
        id="fixed-rules"
        title="Fixed by the installation"
        about="Rules from the bot’s environment. They hold in every workspace, beside its own."
      />
      <ul className="grid gap-1 px-4 pt-1 pb-3">
        {rules.map(({ name, note }) => (
          <li key={name}>
            {name} {note && <span className="text-ink-3">{note}</span>}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Order({ name, profile }: { name: string; profile: string | null }) {
  return (
    <p className="text-ink-3 text-xs">
      {profile && `${name}: ${profile}. `}A tool exists for an agent if it is attached to it and every layer leaves it:
      workspace, then agent, provider and skill, each of which only narrows. Then a rule, else a hook, decides how a
      call runs.
    </p>
  )
}
