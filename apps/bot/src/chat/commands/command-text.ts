import type { ChannelKind } from '@quartermaster/db'

/** How a command is written on a platform: Slack's are all below one slash command. */
export const commandText = (kind: ChannelKind, name: string): string => (kind === 'slack' ? `/qm ${name}` : `/${name}`)
