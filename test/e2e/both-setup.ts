// A bot that is connected to Slack and to Telegram at once, and people who are on one of them or on both.
import { type Database, newId, openChannel } from '@quartermaster/db'
import type { AnthropicEmulatorOptions } from '../emulators/anthropic/start-anthropic-emulator.ts'
import type { User } from '../emulators/slack/index.ts'
import type { Person, TelegramEmulatorOptions } from '../emulators/telegram/index.ts'
import { type SlackSetup, setUpSlack } from './slack-setup.ts'
import { setUpTelegram, type TelegramSetup } from './telegram-setup.ts'

export interface BothSetup extends Omit<SlackSetup, 'runs'> {
  telegram: TelegramSetup['telegram']
  /** What the bot has said in a chat of Telegram. */
  said: TelegramSetup['said']
  channels: { slack: string; telegram: string }
  runs(): Promise<{ id: string; conversationId: string; status: string; key: string }[]>
  /** Somebody on Slack, on Telegram or on both, who is one member with this role already. */
  join(name: string, role: string, on: { slack?: true; telegram?: true }): Promise<Colleague>
  /** Whom the house takes an account for; null for a stranger. */
  memberOf(account: User | Person): Promise<{ id: string; name: string } | null>
}

export interface Colleague {
  name: string
  memberId: string
  slack: User
  telegram: Person
}

export async function setUpBoth(
  database: { db: Database; url: string },
  script?: AnthropicEmulatorOptions['script'],
  options: { telegram?: TelegramEmulatorOptions } = {},
): Promise<BothSetup> {
  const { db } = database
  const onTelegram = await setUpTelegram(database, script, options.telegram)
  const onSlack = await setUpSlack(database, script, {}, onTelegram)
  const { slack } = onSlack
  const { telegram } = onTelegram
  const { workspaceId, agentId } = onTelegram.workspace
  const opened = await openChannel(db, { kind: 'slack', externalId: slack.team.id, name: slack.team.name })
  await db.pool.query('UPDATE channels SET workspace_id = $2, default_agent_id = $3 WHERE id = $1', [
    opened.id,
    workspaceId,
    agentId,
  ])
  const accountOf = (account: User | Person) =>
    'teamId' in account
      ? { kind: 'slack', externalId: `${account.teamId}:${account.id}` }
      : { kind: 'telegram', externalId: String(account.id) }
  return {
    ...onSlack,
    telegram,
    said: onTelegram.said,
    channels: { slack: opened.id, telegram: onTelegram.channelId },
    connect: (environment = {}) => onSlack.connect({ ...onTelegram.environment, ...environment }),
    runs: async () => [...(await onSlack.runs()), ...(await onTelegram.runs())],
    async join(name, role, on) {
      const colleague = {
        name,
        memberId: newId('mem'),
        slack: on.slack ? slack.addUser(name) : (undefined as never),
        telegram: on.telegram ? telegram.user({ firstName: name }) : (undefined as never),
      }
      await db.pool.query('INSERT INTO members (id, workspace_id, name, role) VALUES ($1, $2, $3, $4::role)', [
        colleague.memberId,
        workspaceId,
        name,
        role,
      ])
      for (const account of [colleague.slack, colleague.telegram].filter(Boolean)) {
        const { kind, externalId } = accountOf(account)
        await db.pool.query(
          `INSERT INTO identities (id, workspace_id, member_id, kind, external_id)
           VALUES ($1, $2, $3, $4::identity_kind, $5)`,
          [newId('idn'), workspaceId, colleague.memberId, kind, externalId],
        )
      }
      return colleague
    },
    async memberOf(account) {
      const { kind, externalId } = accountOf(account)
      const { rows } = await db.pool.query(
        `SELECT m.id, m.name FROM identities i JOIN members m ON m.id = i.member_id
         WHERE i.workspace_id = $1 AND i.kind = $2::identity_kind AND i.external_id = $3 AND m.disabled_at IS NULL`,
        [workspaceId, kind, externalId],
      )
      return rows[0] ?? null
    },
  }
}

/** The code in a reply of ours. */
export function codeIn(words: string): string {
  const code = /\b[A-Z0-9]{4}-[A-Z0-9]{4}\b/.exec(words)?.[0]
  if (!code) throw new Error(`there is no code in “${words}”`)
  return code
}
