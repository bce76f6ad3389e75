// What is wrong with a value, by the JSON pointer (RFC 6901) of the place: '' is the whole, '/files/0/name' a part.

export type Mistakes = Readonly<Record<string, string>>

export const pointerTo = (parent: string, key: string | number) =>
  `${parent}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`

/** The violations of packages/tools, whose paths are dotted, with what is no plain word quoted: `headers."X-Id"`. */
export function mistakesOf(violations: readonly { path: string; message: string }[]): Mistakes {
  const mistakes: Record<string, string> = {}
  for (const { path, message } of violations) mistakes[pointerOf(path)] ??= sentence(message)
  return mistakes
}

/** The same, out of the sentence that the model gets: a line for each violation, `- path: what was expected`. */
export function mistakesOfText(text: string): Mistakes {
  const lines = [...text.matchAll(/^- (the arguments|(?:"(?:[^"\\]|\\.)*"|[^\s:])+): (.+)$/gm)]
  return mistakesOf(
    lines.map(([, path, message]) => ({ path: path === 'the arguments' ? '' : path!, message: message! })),
  )
}

/** Those of a place and of all that is below it. */
export const mistakesBelow = (mistakes: Mistakes, pointer: string): [pointer: string, message: string][] =>
  Object.entries(mistakes).filter(([at]) => at === pointer || at.startsWith(`${pointer}/`))

function pointerOf(path: string): string {
  let pointer = ''
  for (const [segment] of path.matchAll(/"(?:[^"\\]|\\.)*"|[^.]+/g))
    pointer = pointerTo(pointer, segment.startsWith('"') ? (JSON.parse(segment) as string) : segment)
  return pointer
}

/** A name at the beginning (`file.read`, `max_limit`) stays what it is. */
const sentence = (message: string) =>
  `${/^[a-z]+[ ,]/.test(message) ? message.charAt(0).toUpperCase() : message.charAt(0)}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`
