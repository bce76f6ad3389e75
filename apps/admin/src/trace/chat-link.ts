import type { WholeRun } from '@quartermaster/db'

export interface ChatLink {
  label: string
  href: string
}

type Told = Pick<WholeRun, 'channelKind'> & {
  conversation: Pick<WholeRun['conversation'], 'id' | 'key' | 'openedBy'>
  channel: Pick<WholeRun['channel'], 'externalId' | 'name'>
}

/** Where a run was asked for, for this member; null where nothing there has an address, or it is another's session. */
export function chatLinkOf({ channelKind, channel, conversation }: Told, memberId: string): ChatLink | null {
  // A conversation that /new has ended has more behind its key.
  const [place = '', thread = ''] = (conversation.key.split('#')[0] ?? '').split(':')
  if (channelKind === 'web')
    return conversation.openedBy === memberId
      ? { label: 'Open the session', href: `/playground/${conversation.id}` }
      : null
  if (channelKind === 'slack') {
    if (!/^[A-Z0-9]+$/.test(place) || !/^[TE][A-Z0-9]+$/.test(channel.externalId)) return null
    const base = `https://app.slack.com/client/${channel.externalId}/${place}`
    return {
      label: 'Open in Slack',
      href: /^\d+\.\d+$/.test(thread) ? `${base}/thread/${place}-${thread}` : base,
    }
  }
  const label = 'Open in Telegram'
  const group = /^-100(\d+)$/.exec(place)?.[1]
  // Telegram shows a supergroup by its number, and of a topic the topic; an older group has no address at all.
  if (group) return { label, href: `https://t.me/c/${group}/${/^\d+$/.test(thread) ? thread : '1'}` }
  const bot = /^@(\w{3,40})$/.exec(channel.name)?.[1]
  return /^\d+$/.test(place) && bot ? { label, href: `https://t.me/${bot}` } : null
}
