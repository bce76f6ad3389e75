import { type Database, newId } from '@quartermaster/db'
import { type SlackSetup, until } from './slack-setup.ts'

/** Somebody on Slack who is a member with this role already. */
export async function joinSlack(db: Database, setup: SlackSetup, name: string, role: string) {
  const user = setup.slack.addUser(name)
  const channel = await until(() => setup.channel(), Boolean, 30_000)
  const { workspaceId } = channel!
  const memberId = newId('mem')
  await db.pool.query('INSERT INTO members (id, workspace_id, name, role) VALUES ($1, $2, $3, $4::role)', [
    memberId,
    workspaceId,
    name,
    role,
  ])
  await db.pool.query(
    `INSERT INTO identities (id, workspace_id, member_id, kind, external_id) VALUES ($1, $2, $3, 'slack', $4)`,
    [newId('idn'), workspaceId, memberId, `${setup.slack.team.id}:${user.id}`],
  )
  return user
}
