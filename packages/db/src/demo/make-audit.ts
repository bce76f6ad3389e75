// What people did in the console of Northwind: the part of the audit log that is not about questions.
import type { DemoMember, Directory } from './make-workspace.ts'
import { agents, rules, scopes } from './northwind.ts'
import type { Random } from './random.ts'
import type { Row } from './rows.ts'

const day = 24 * 60 * 60 * 1000

export function makeAudit(random: Random, directory: Directory, now: number): Row[] {
  const events: Row[] = []
  const [, admin, security] = directory.members as [DemoMember, DemoMember, DemoMember]
  const add = (
    at: number,
    actor: { kind: string; id: string },
    action: string,
    subject: [string, string],
    data: Row = {},
  ) =>
    events.push({
      workspace_id: directory.workspaceId,
      at: new Date(at).toISOString(),
      actor_kind: actor.kind,
      actor_id: actor.id,
      action,
      subject_kind: subject[0],
      subject_id: subject[1],
      data,
    })
  const by = (member: DemoMember) => ({ kind: 'member', id: member.id })

  add(now - 120 * day, { kind: 'system', id: 'seed' }, 'workspace.create', ['workspace', directory.workspaceId], {
    name: 'Northwind',
  })
  for (const agent of agents) {
    const { id, versions } = directory.agents[agent.slug]
    for (const [index, version] of versions.entries())
      add(version.publishedAt, by(admin), 'agent.publish', ['agent', id], {
        version: index + 1,
        note: agent.notes[index],
      })
  }
  for (const [index, scope] of scopes.entries())
    for (const name of scope.secrets)
      add(now - (75 - index) * day, by(security), 'secret.store', ['secret', name], {
        name,
        scope: scope.name,
        version: 1,
      })
  for (const [index, rule] of rules.entries())
    add(now - (40 - index) * day, by(security), 'rule.change', ['rule', rule.name], { decision: rule.decision })
  const left = directory.members.find((member) => member.disabled)
  if (left) add(now - 17 * day, by(admin), 'member.disable', ['member', left.id])
  const lead = directory.members[4] as DemoMember
  add(now - 25 * day, by(admin), 'member.change-role', ['member', lead.id], {
    role: { before: 'member', after: 'approver' },
  })
  add(now - 80 * day, by(admin), 'settings.change', ['workspace', directory.workspaceId], {
    timezone: { before: 'UTC', after: 'Europe/Berlin' },
  })

  // The invented members have no login; it is the owners of this installation who come by.
  for (const owner of directory.members.slice(11))
    for (let daysAgo = 29; daysAgo > 0; daysAgo -= random.int(1, 3))
      add(now - daysAgo * day + random.int(-3, 3) * 3_600_000, by(owner), 'member.sign-in', ['member', owner.id], {
        with: 'password',
      })
  return events
}
