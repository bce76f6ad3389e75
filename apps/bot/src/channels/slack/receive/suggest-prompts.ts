import type { SlackConnection } from '../connect/slack-connection.ts'

/** What somebody who has just opened the bot could say. The manifest offers the same before the bot has answered once. */
export const suggestedPrompts = [
  { title: 'What can you do?', message: 'What can you do here, and what do you have to ask about first?' },
  { title: 'Look at a web page', message: 'Read https://example.com and tell me in three sentences what it says.' },
  { title: 'Work with files', message: 'List the files that you can see, and tell me what they are.' },
  { title: 'Ask me something', message: 'Ask me to choose between tea and coffee.' },
]

export async function suggestPrompts(slack: SlackConnection, teamId: string, channel: string): Promise<void> {
  const team = await slack.channelOf(teamId)
  const client = await slack.clientFor(team.id)
  await client.assistant.threads.setSuggestedPrompts({
    channel_id: channel,
    title: 'Try one of these, or just write',
    prompts: suggestedPrompts,
  })
}
