// What ripgrep printed, `path NUL line` a line, in the order of the paths: it searches several files at once.
import { quotePath } from '../../guard/paths/index.ts'

export interface RenderedGrep {
  text: string
  files: number
  data: unknown
}

export function renderGrep(
  output: Buffer,
  mode: 'content' | 'files_with_matches' | 'count',
  isCut: boolean,
): RenderedGrep {
  const text = output.toString()
  if (mode === 'files_with_matches') {
    const paths = text.split('\0')
    // After the last NUL there is nothing, or half of a path.
    paths.pop()
    const files = paths.map(trim).sort()
    return { text: files.map(quotePath).join('\n'), files: files.length, data: { files, more: isCut } }
  }
  const groups = groupLines(text, isCut)
  const files = [...groups.keys()].sort()
  if (mode === 'count') {
    const counts = files.map((path) => ({ path, count: Number(groups.get(path)![0]) }))
    const lines = counts.map(({ path, count }) => `${quotePath(path)}:${count}`)
    return { text: lines.join('\n'), files: files.length, data: { counts, more: isCut } }
  }
  const lines = files.flatMap((path) => {
    const shown = quotePath(path)
    return groups.get(path)!.map((line) => (line === '--' ? line : `${shown}${separatorOf(line)}${line}`))
  })
  return { text: lines.join('\n'), files: files.length, data: { files, more: isCut } }
}

/** The lines of each file. A name may have line feeds, so it is everything up to the NUL. */
function groupLines(text: string, isCut: boolean): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  let last: string[] | null = null
  let at = 0
  while (at < text.length) {
    if (text.startsWith('--\n', at)) {
      last?.push('--')
      at += 3
      continue
    }
    const nul = text.indexOf('\0', at)
    const end = text.indexOf('\n', nul)
    if (nul < 0 || (end < 0 && isCut)) break
    const path = trim(text.slice(at, nul))
    last = groups.get(path) ?? []
    groups.set(path, last)
    last.push(text.slice(nul + 1, end < 0 ? undefined : end).replace(/\r$/, ''))
    at = end < 0 ? text.length : end + 1
  }
  for (const lines of groups.values()) while (lines.at(-1) === '--') lines.pop()
  return groups
}

const trim = (path: string) => path.replace(/^(?:\.\/)+/, '')

/** `12:` is a line that matches, `12-` one around it. */
const separatorOf = (line: string) => (/^\d+-/.test(line) ? '-' : ':')
