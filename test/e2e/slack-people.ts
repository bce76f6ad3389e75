import type { Database } from '@quartermaster/db'
import { addMember } from '@quartermaster/db/testing'
import { type SlackSetup, until } from './slack-setup.ts'

/** Somebody on Slack who is a member with this role already. */
export async function joinSlack(db: Database, setup: SlackSetup, name: string, role: string) {
  const user = setup.slack.addUser(name)
  const channel = await until(() => setup.channel(), Boolean, 30_000)
  const { workspaceId } = channel!
  const identity = { kind: 'slack', externalId: `${setup.slack.team.id}:${user.id}` }
  await addMember(db, { workspaceId, name, role, identity })
  return user
}
