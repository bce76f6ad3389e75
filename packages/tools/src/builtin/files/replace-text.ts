// Search and replace, to the letter: no pattern, and `$&` is `$&`.

export interface Replacement {
  text: string
  /** The lines where they were found, from 1. */
  lines: number[]
}

/** Null where it is not there. */
export function replaceText(text: string, search: string, replace: string): Replacement | null {
  const parts: string[] = []
  const lines: number[] = []
  let [from, line] = [0, 1]
  for (let at = text.indexOf(search); at >= 0; at = text.indexOf(search, from)) {
    line += countLineFeeds(text, from, at)
    lines.push(line)
    parts.push(text.slice(from, at), replace)
    line += countLineFeeds(text, at, at + search.length)
    from = at + search.length
  }
  if (lines.length === 0) return null
  parts.push(text.slice(from))
  return { text: parts.join(''), lines }
}

function countLineFeeds(text: string, from: number, to: number): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** Why a search text may not be there, where something like it is. */
export function explainNotFound(text: string, search: string): string {
  if (text.includes('\r\n') && text.includes(search.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n')))
    return 'The lines of this file end with \\r\\n: write \\r\\n in search, too.'
  const wanted = search.split('\n').find((line) => line.trim() !== '')
  if (wanted !== undefined) {
    const squeezed = squeeze(wanted)
    const near = text.split('\n').findIndex((line) => squeeze(line) === squeezed)
    if (near >= 0)
      return `Line ${near + 1} is like it, but white space or the lines around it differ. Read the file again.`
  }
  const at = text.toLowerCase().indexOf(search.toLowerCase())
  if (at >= 0) return `Line ${countLineFeeds(text, 0, at) + 1} is like it, but capital letters differ.`
  return 'Read the file again, and copy the text exactly.'
}

const squeeze = (line: string) => line.replace(/\s+/g, ' ').trim()
