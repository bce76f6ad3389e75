import { listChoosableAgents, listOpenQuestions, listRunsOf, readPlaceStatus } from '@quartermaster/db'
import type { Command } from './command.ts'

const words: Readonly<Record<string, string>> = {
  queued: 'waits for its turn',
  running: 'is at work',
  waiting: 'waits for an answer',
  succeeded: 'is done',
  failed: 'has failed',
  stopped: 'was stopped',
}

export const statusCommand: Command = {
  about: 'says what I am doing here, and what waits for you.',
  async run({ db, consoleUrl }, given) {
    const { workspaceId, memberId, conversationKey } = given
    const [agents, here, questions, runs] = await Promise.all([
      listChoosableAgents(db, given),
      conversationKey === null ? null : readPlaceStatus(db, { channelId: given.channelId, conversationKey }),
      listOpenQuestions(db, { workspaceId, memberId, limit: 5 }),
      listRunsOf(db, { workspaceId, memberId, limit: 5 }),
    ])
    const agent = agents.find(({ chosen }) => chosen)
    const lines = [agent ? `**${agent.name}** answers here.` : 'No agent answers here.']
    if (here?.run) lines.push(`The last request here ${words[here.run.status] ?? here.run.status}.`)
    if (here?.run?.status === 'waiting' && here.openQuestions.length)
      lines.push(`Open: ${here.openQuestions.map((title) => `“${title}”`).join(', ')}.`)
    if (questions.questions.length)
      lines.push(
        `These wait for you:\n${questions.questions.map(({ title, agentName }) => `- ${title} (${agentName})`).join('\n')}`,
      )
    else lines.push('Nothing waits for you.')
    if (conversationKey === null && runs.length)
      lines.push(
        `What you asked for last:\n${runs.map(({ title, status }) => `- ${title || 'Without a title'}: ${words[status] ?? status}`).join('\n')}`,
      )
    if (consoleUrl && here?.run) lines.push(`What it did so far: ${consoleUrl}/runs/${here.run.id}`)
    else if (consoleUrl) lines.push(`More is in the console: ${consoleUrl}`)
    return { markdown: lines.join('\n\n') }
  },
}
