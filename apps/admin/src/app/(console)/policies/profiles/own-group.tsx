import type { GroupPart } from '@quartermaster/db'
import { Button } from '../../../../components/button.tsx'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { ConfirmButton } from '../../../../components/confirm-button.tsx'
import { Tag } from '../../../../components/tag.tsx'
import type { PolicyView } from '../../../../policy/read-policy.ts'
import { deleteOwnGroup } from '../edit-actions.ts'
import { EditToggle } from '../edit-toggle.tsx'
import { PatternTags } from '../pattern-tags.tsx'
import { usersOfGroup } from '../users-of-group.ts'
import { GroupForm } from './group-form.tsx'
import { UsedBy } from './used-by.tsx'

/** A group of the workspace's own: what it stands for, where it is named, and its form. */
export function OwnGroup({ view, group }: { view: PolicyView; group: GroupPart }) {
  const { name, description, tools } = group
  const users = usersOfGroup(view, name)
  return (
    <Card aria-label={`Group ${name}`}>
      <CardHeader title={`group:${name}`} about={description || undefined}>
        <Tag tone="accent">own</Tag>
      </CardHeader>
      <div className="grid gap-2 px-4 pb-3 sm:pr-24">
        <PatternTags patterns={tools} none="Nothing yet." />
        <UsedBy users={users} />
      </div>
      {view.mayEdit && (
        <EditToggle label={`Edit the group ${name}`} short="Edit">
          <GroupForm seen={view.seen} group={group} />
          <div className="flex justify-end px-4 pb-4">
            <ConfirmButton
              action={deleteOwnGroup}
              fields={{ seen: view.seen, name }}
              title={`Delete group:${name}?`}
              about={
                users.length
                  ? `It is named by ${users.join(', ')}; take it out of there first.`
                  : 'Nothing names it. It goes when the draft is published.'
              }
              confirm="Delete it"
              trigger={
                <Button look="danger" size="small" className="max-sm:h-10">
                  Delete the group {name}…
                </Button>
              }
            />
          </div>
        </EditToggle>
      )}
    </Card>
  )
}
