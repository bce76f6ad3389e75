// What is wrong with a path, in a sentence for the model and people that names the path and the next step.
import { escapeForDisplay } from '../display.ts'

export type PathProblemCode =
  | 'malformed'
  | 'outside'
  | 'missing'
  | 'loop'
  | 'not-a-file'
  | 'not-a-folder'
  | 'exists'
  | 'denied'
  | 'changed'
  | 'too-large'

export class PathProblem extends Error {
  readonly code: PathProblemCode

  constructor(code: PathProblemCode, message: string) {
    super(message)
    this.name = 'PathProblem'
    this.code = code
  }
}

const shownCharacters = 200

/**
 * A path as it can be shown and, where it holds characters that must not be shown, as the JSON string that a model can
 * give back: a name with a line feed or a reversed direction neither breaks the list nor becomes unreachable.
 */
export function showPath(path: string): string {
  const short = path.length > shownCharacters ? `${path.slice(0, shownCharacters).toWellFormed()}…` : path
  return quotePath(short)
}

/** The same, however long: for lists whose lines are paths to use. */
export function quotePath(path: string): string {
  if (path !== '' && !path.startsWith('"') && path === path.trim() && escapeForDisplay(path) === path) return path
  return `"${Array.from(path, (character) => escaped(character)).join('')}"`
}

function escaped(character: string): string {
  if (character === '"' || character === '\\') return `\\${character}`
  if (escapeForDisplay(character) === character) return character
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/** What the system said about a path, where it is something that a caller can do something about. */
export function problemFromSystem(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  const shown = showPath(path)
  switch (code) {
    case 'ENOENT':
      return new PathProblem('missing', `${shown} is not there (any more).`)
    case 'EACCES':
    case 'EPERM':
      return new PathProblem('denied', `The system does not let us at ${shown} (${code}).`)
    case 'EROFS':
      return new PathProblem('denied', `${shown} is on a file system that cannot be written.`)
    case 'ENOSPC':
    case 'EDQUOT':
      return new PathProblem('denied', `There is no space left to write ${shown}.`)
    case 'ENAMETOOLONG':
      return new PathProblem('malformed', `The name ${shown} is too long for this file system. Use a shorter one.`)
    case 'EISDIR':
    case 'EEXIST':
    case 'ENOTEMPTY':
      return new PathProblem('exists', `Something else is at ${shown} by now. Look with file.list.`)
    case 'ENOTDIR':
      return new PathProblem('not-a-folder', `${shown} leads through something that is not a folder.`)
    case 'EXDEV':
      return new PathProblem('denied', `${shown} is on another file system than where it should go.`)
    case 'EMFILE':
    case 'ENFILE':
      return new PathProblem('denied', `Too many files are open to get at ${shown}. Try again later.`)
    default:
      return error
  }
}
