export const masked = '[masked]'

/** Below this a value is too common a word to be searched for everywhere (a database's password may be "dev"). */
const shortest = 6

export interface SecretMask {
  /** The text without any of the secrets. */
  text(text: string): string
  /** A line of JSON without any of the secrets; it stays JSON. */
  json(line: string): string
}

/**
 * Finds secrets by their value, wherever they stand: in a message, an error, a stack, an address. Each is looked for
 * as it is and in the forms it takes on the way: in base64, in hexadecimal, in a URL and in JSON.
 */
export function createSecretMask(secrets: readonly string[]): SecretMask {
  const forms = new Set<string>()
  for (const secret of secrets) {
    if (secret.length < shortest) continue
    const bytes = Buffer.from(secret)
    forms.add(secret)
    forms.add(encodeURIComponent(secret))
    forms.add(JSON.stringify(secret).slice(1, -1))
    forms.add(bytes.toString('base64').replace(/=+$/, ''))
    forms.add(bytes.toString('base64url'))
    forms.add(bytes.toString('hex'))
  }
  // The longest first: a secret that begins with another one is masked as a whole.
  const longestFirst = [...forms].sort((a, b) => b.length - a.length)
  // The password of any database address is masked too, however short.
  const inAddress = String.raw`(?<=\bpostgres(?:ql)?://[^\s:@/"]*:)[^\s@/"]+(?=@)`
  const pattern = new RegExp([inAddress, ...longestFirst.map(escapePattern)].join('|'), 'g')

  const text = (value: string) => value.replace(pattern, masked)
  const json = (line: string) => {
    // Nearly every line has nothing to hide, and one search shows it.
    if (line.search(pattern) < 0) return line
    return `${JSON.stringify(JSON.parse(line), (_key, value) => maskValue(value, text))}\n`
  }
  return { text, json }
}

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

function maskValue(value: unknown, text: (value: string) => string): unknown {
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object' || !value || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [text(key), part]))
}
