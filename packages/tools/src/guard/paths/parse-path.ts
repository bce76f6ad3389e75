// From a text that a model wrote to the names on the way; nothing is looked up yet.
import { PathProblem, showPath } from './path-problem.ts'

export const pathLimits = {
  /** Bytes of a path; a longer one is refused. */
  pathBytes: 4_096,
  /** Bytes of one name, as the usual file systems have it. */
  nameBytes: 255,
  /** Folders below the work folder; each is held open on the way. */
  depth: 128,
  /** Links followed on the way, as Linux has it. */
  links: 40,
} as const

/**
 * The names from the work folder on; `..` stays in, because where it leads depends on the links before it. An absolute
 * path may be given where it is below the work folder, by any of its names.
 */
export function parsePath(text: string, rootNames: readonly string[]): string[] {
  if (text === '') throw new PathProblem('malformed', 'The path is empty. Use . for the work folder itself.')
  if (text.includes('\0'))
    throw new PathProblem('malformed', `The path ${showPath(text)} has a NUL character, which no file name has.`)
  if (!text.isWellFormed())
    throw new PathProblem('malformed', `The path ${showPath(text)} is not valid Unicode, so it names no file.`)
  if (Buffer.byteLength(text) > pathLimits.pathBytes)
    throw new PathProblem('malformed', `The path ${showPath(text)} is longer than ${pathLimits.pathBytes} bytes.`)
  const names = belowRoot(text, rootNames)
    .split('/')
    .filter((name) => name !== '' && name !== '.')
  for (const name of names)
    if (Buffer.byteLength(name) > pathLimits.nameBytes)
      throw new PathProblem('malformed', `The name ${showPath(name)} is longer than ${pathLimits.nameBytes} bytes.`)
  return names
}

function belowRoot(text: string, rootNames: readonly string[]): string {
  if (!text.startsWith('/')) return text
  for (const root of rootNames) {
    if (text === root) return ''
    if (text.startsWith(root === '/' ? root : `${root}/`)) return text.slice(root.length)
  }
  throw new PathProblem(
    'outside',
    `${showPath(text)} is outside of the work folder. Use a path relative to it, such as notes/today.md.`,
  )
}
