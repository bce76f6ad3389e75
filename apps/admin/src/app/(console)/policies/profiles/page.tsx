import type { Metadata } from 'next'
import type { ReactNode } from 'react'
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
import { BuiltinGroups } from './builtin-groups.tsx'
import { GroupForm } from './group-form.tsx'
import { OwnGroup } from './own-group.tsx'
import { ProfileForm } from './profile-form.tsx'
import { UsedBy } from './used-by.tsx'

export const metadata: Metadata = { title: 'Profiles & groups' }

export default async function ProfilesPage() {
  const view = await readPolicyView(await requireMember('viewer'))
  return (
    <Frame view={view} chosen="/policies/profiles">
      <SectionHeading title="Profiles">
        A profile is what a layer starts from: the workspace, an agent or a provider names one.
      </SectionHeading>
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
            <Reads patterns={reads} />
            <UsedBy users={usersIn(view, name)} />
          </div>
        </Card>
      ))}
      <SectionHeading title="Groups">
        A group stands for its tools wherever a pattern can, written <code className="font-mono">group:fs</code>. What
        is said of it holds for every tool that is put into it later.
      </SectionHeading>
      {view.content.groups.map((group) => (
        <OwnGroup key={group.name} view={view} group={group} />
      ))}
      {view.mayEdit && (
        <Card aria-label="A new group">
          <div className="sm:pr-36">
            <CardHeader
              title="A new group"
              about="A name for tools that rules, hooks and lists speak of together: names, prefixes and built-in groups."
            />
          </div>
          <EditToggle label="Make a group">
            <GroupForm seen={view.seen} group={null} />
          </EditToggle>
        </Card>
      )}
      <BuiltinGroups view={view} />
    </Frame>
  )
}

function SectionHeading({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="mt-1 not-first:mt-4">
      <h2 className="font-semibold text-sm">{title}</h2>
      <p className="text-ink-3 text-xs">{children}</p>
    </div>
  )
}

function OwnProfile({ view, profile }: { view: PolicyView; profile: PolicyView['content']['profiles'][number] }) {
  const { name, description, tools, reads } = profile
  const users = usersIn(view, name)
  return (
    <Card aria-label={`Profile ${name}`}>
      <CardHeader title={name} about={description || undefined}>
        <Tag tone="accent">own</Tag>
      </CardHeader>
      <div className="grid gap-2 px-4 pb-3 sm:pr-24">
        {(tools.length > 0 || reads.length === 0) && <PatternTags patterns={tools} none="Nothing yet." />}
        <Reads patterns={reads} />
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

function Reads({ patterns }: { patterns: readonly string[] }) {
  if (!patterns.length) return null
  return (
    <>
      <p className="text-ink-3 text-xs">To read only:</p>
      <PatternTags patterns={patterns} none="" />
    </>
  )
}
