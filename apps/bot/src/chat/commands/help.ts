import type { Command } from './command.ts'
import { commandText } from './command-text.ts'

export const createHelp = (commands: ReadonlyMap<string, Command>): Command => ({
  about: 'says what I understand.',
  async run(parts, { channelKind }) {
    const rows = [...commands].map(([name, { about }]) => `- \`${commandText(channelKind, name)}\` ${about}`)
    const lines = [
      channelKind === 'slack'
        ? 'Write to me in a direct message, or mention me in a channel; in a thread that I am part of, just reply.'
        : 'Write to me here; in a group mention me, or reply to me.',
      rows.join('\n'),
      'A message such as `!file.list {"path": "."}` runs a tool by hand, without the model and under the same policy.',
      parts.consoleUrl ? `The console is at ${parts.consoleUrl}.` : '',
    ]
    return { markdown: lines.filter(Boolean).join('\n\n') }
  },
})
