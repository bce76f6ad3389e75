import { findAdmitted, listOpenQuestions, listRunsOf, readQuestionCards } from '@quartermaster/db'
import type { SlackConnection, SlackTeam } from '../connect/slack-connection.ts'
import { type Home, renderHome } from './home-view.ts'

const questionsShown = 8
const runsShown = 6
const agentsShown = 20

/** Shows somebody their Home tab as things are now. Whoever opens it is not made a member by that. */
export async function publishHome(slack: SlackConnection, teamId: string, userId: string): Promise<void> {
  const team = await slack.channelOf(teamId)
  const [client, person] = await Promise.all([slack.clientFor(team.id), slack.personOf(teamId, userId)])
  const admitted = await findAdmitted(slack.chat.db, { channelId: team.id, person })
  const [member, agents] = await Promise.all([
    admitted ? readMember(slack, team, admitted.memberId) : null,
    // To strangers and guests it says nothing about who works here.
    admitted || !person.isGuest ? listAgents(slack, team) : [],
  ])
  const view = renderHome({ member, agents, consoleUrl: slack.chat.consoleUrl })
  await client.views.publish({ user_id: userId, view })
}

async function readMember(slack: SlackConnection, team: SlackTeam, memberId: string): Promise<Home['member']> {
  const { db } = slack.chat
  const viewer = { workspaceId: team.workspaceId, memberId }
  const [open, runs] = await Promise.all([
    listOpenQuestions(db, { ...viewer, limit: questionsShown }),
    listRunsOf(db, { ...viewer, limit: runsShown }),
  ])
  const questionIds = open.questions.map(({ id }) => id)
  const [cards, links] = await Promise.all([
    questionIds.length ? readQuestionCards(db, { ...viewer, questionIds }) : [],
    linksOf(slack, team, runs),
  ])
  const questions = cards.filter(({ status }) => status === 'open').toReversed()
  const linked = runs.map((run) => ({ ...run, link: links.get(run.conversationId) ?? null }))
  return { questions, more: open.next !== null, runs: linked }
}

/** To the threads of this team; one that is gone has no link. */
async function linksOf(
  slack: SlackConnection,
  team: SlackTeam,
  runs: readonly { conversationId: string; channelId: string }[],
): Promise<Map<string, string>> {
  const here = [...new Set(runs.filter((run) => run.channelId === team.id).map((run) => run.conversationId))]
  const links = new Map<string, string>()
  if (!here.length) return links
  const { rows } = await slack.chat.db.pool.query<{ id: string; external_key: string }>(
    'SELECT id, external_key FROM conversations WHERE id = ANY($1)',
    [here],
  )
  const client = await slack.clientFor(team.id)
  await Promise.allSettled(
    rows.map(async ({ id, external_key }) => {
      const [channel = '', message_ts = ''] = external_key.split(':')
      const { permalink } = await client.chat.getPermalink({ channel, message_ts })
      if (permalink) links.set(id, permalink)
    }),
  )
  return links
}

async function listAgents(slack: SlackConnection, team: SlackTeam): Promise<Home['agents']> {
  const { rows } = await slack.chat.db.pool.query<{ name: string; description: string }>(
    `SELECT name, description FROM agents WHERE workspace_id = $1 AND archived_at IS NULL ORDER BY created_at, id LIMIT $2`,
    [team.workspaceId, agentsShown],
  )
  return rows
}
