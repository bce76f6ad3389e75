import type { Metadata } from 'next'
import { Button } from '../../../../components/button.tsx'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { ConfirmButton } from '../../../../components/confirm-button.tsx'
import { Tag } from '../../../../components/tag.tsx'
import { type PolicyView, readPolicyView } from '../../../../policy/read-policy.ts'
import { requireMember } from '../../../../session.ts'
import { toolKit } from '../../../../tool-kit.ts'
import { deleteOwnProfile } from '../edit-actions.ts'
import { EditToggle } from '../edit-toggle.tsx'
import { Frame } from '../frame.tsx'
import { PatternTags } from '../pattern-tags.tsx'
import { usersIn } from '../users-of-profile.ts'
import { ProfileForm } from './profile-form.tsx'

export const metadata: Metadata = { title: 'Profiles & groups' }

export default async function ProfilesPage() {
  const view = await readPolicyView(await requireMember('viewer'))
  return (
    <Frame view={view} chosen="/policies/profiles">
      {view.content.profiles.map((profile) => (
        <OwnProfile key={profile.name} view={view} profile={profile} />
      ))}
      {view.mayEdit && (
        <Card aria-label="A new profile">
          <div className="sm:pr-36">
            <CardHeader
              title="A new profile"
              about="A named set of tools that agents, providers and the workspace can start from."
            />
          </div>
          <EditToggle label="Make a profile">
            <ProfileForm seen={view.seen} profile={null} />
          </EditToggle>
        </Card>
      )}
      {[...toolKit.builtinProfiles].map(([name, { description, tools, reads = [] }]) => (
        <Card key={name} aria-label={`Profile ${name}`}>
          <CardHeader title={name} about={description}>
            <Tag>built in</Tag>
          </CardHeader>
          <div className="grid gap-2 px-4 pb-3">
            <PatternTags patterns={tools} none="Nothing." />
            {reads.length > 0 && (
              <>
                <p className="text-ink-3 text-xs">To read only:</p>
                <PatternTags patterns={reads} none="" />
              </>
            )}
            <UsedBy users={usersIn(view, name)} />
          </div>
        </Card>
      ))}
      <Groups view={view} />
    </Frame>
  )
}

function OwnProfile({ view, profile }: { view: PolicyView; profile: PolicyView['content']['profiles'][number] }) {
  const { name, description, tools } = profile
  const users = usersIn(view, name)
  return (
    <Card aria-label={`Profile ${name}`}>
      <CardHeader title={name} about={description || undefined}>
        <Tag tone="accent">own</Tag>
      </CardHeader>
      <div className="grid gap-2 px-4 pb-3 sm:pr-24">
        <PatternTags patterns={tools} none="Nothing yet." />
        <UsedBy users={users} />
      </div>
      {view.mayEdit && (
        <EditToggle label={`Edit the profile ${name}`} short="Edit">
          <ProfileForm seen={view.seen} profile={profile} />
          <div className="flex justify-end px-4 pb-4">
            <ConfirmButton
              action={deleteOwnProfile}
              fields={{ seen: view.seen, name }}
              title={`Delete the profile “${name}”?`}
              about={
                users.length
                  ? `It is the profile of ${users.join(', ')}; they need another one first.`
                  : 'Nobody uses it. It goes when the draft is published.'
              }
              confirm="Delete it"
              trigger={
                <Button look="danger" size="small" className="max-sm:h-10">
                  Delete the profile {name}…
                </Button>
              }
            />
          </div>
        </EditToggle>
      )}
    </Card>
  )
}

const UsedBy = ({ users }: { users: readonly string[] }) => (
  <p className="text-ink-3 text-xs">{users.length ? `Used by ${users.join(', ')}.` : 'Used by nobody.'}</p>
)

function Groups({ view }: { view: PolicyView }) {
  const tools = view.tools.list()
  const names = new Set([...toolKit.builtinGroups.keys(), ...tools.flatMap(({ groups = [] }) => groups)])
  const groups = [...names].sort().map((group) => ({
    group,
    members: tools.filter((tool) => isIn(group, tool)).map(({ name }) => name),
  }))
  return (
    <Card aria-labelledby="groups">
      <CardHeader id="groups" title="Groups" about="A group stands for its tools wherever a pattern can: group:fs." />
      <dl className="grid gap-x-4 gap-y-1.5 px-4 pt-1 pb-4 sm:grid-cols-[9rem_minmax(0,1fr)]">
        {groups.map(({ group, members }) => (
          <div key={group} className="contents">
            <dt className="font-mono text-xs">group:{group}</dt>
            <dd className="min-w-0 break-words text-ink-3 text-xs max-sm:mb-2">
              {members.slice(0, 30).join(', ') || 'no tool now'}
              {members.length > 30 && ` and ${members.length - 30} more`}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

function isIn(group: string, tool: { name: string; groups?: readonly string[] }): boolean {
  try {
    return toolKit.matchesTool(`group:${group}`, tool)
  } catch {
    return false // A tool that was brought names its groups as it likes; this name no pattern can have.
  }
}
