// Slack writes mentions, channels, links and dates between angle brackets, and escapes &, < and >. This is its own
// documented notation, so it is read piece by piece; nothing else in a text is touched.

export interface ReadableOptions {
  botUserId: string
  /** The name of a user; null where nobody knows. */
  nameOf(userId: string): string | null
}

const bracket = /<([^<>]*)>/g

/** The users that a text mentions, each once. */
export function mentionedUsers(text: string): string[] {
  const users = [...text.matchAll(/<@([A-Z0-9]+)(?:\|[^<>]*)?>/g)].map((match) => match[1] ?? '')
  return [...new Set(users)]
}

/** Markdown for the model, with names instead of ids and without the mention of the bot itself. */
export function readableText(text: string, options: ReadableOptions): string {
  let readable = ''
  let at = 0
  for (const match of text.matchAll(bracket)) {
    readable += undoEscapes(text.slice(at, match.index))
    at = match.index + match[0].length
    const [target = '', label] = splitOnce(match[1] ?? '', '|')
    const piece = target === `@${options.botUserId}` ? '' : readBracket(target, label, options)
    // Where the bot's name is taken out, one of the spaces around it goes too.
    if (piece === '' && (readable === '' || /\s$/.test(readable))) while (text[at] === ' ') at++
    readable += piece
  }
  return (readable + undoEscapes(text.slice(at))).trim()
}

function readBracket(target: string, label: string | undefined, { nameOf }: ReadableOptions): string {
  const shown = label === undefined || label === '' ? undefined : undoEscapes(label)
  if (target.startsWith('@')) return `@${shown ?? nameOf(target.slice(1)) ?? target.slice(1)}`
  if (target.startsWith('#')) return `#${shown ?? target.slice(1)}`
  // `!here`, `!subteam^S1|@group`, `!date^…|fallback`.
  if (target.startsWith('!')) return shown ?? `@${target.slice(1).split('^')[0] ?? ''}`
  const address = undoEscapes(target)
  if (shown === undefined || shown === address || `mailto:${shown}` === address) return address.replace(/^mailto:/, '')
  return `[${shown}](${address})`
}

const undoEscapes = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}
