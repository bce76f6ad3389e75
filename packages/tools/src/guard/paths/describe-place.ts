// What is at a place, in words.
import type { Place } from './find-place.ts'
import type { Kind } from './folder.ts'
import { PathProblem, showPath } from './path-problem.ts'

export const nameOf: Readonly<Record<Kind, string>> = {
  file: 'a file',
  folder: 'a folder',
  link: 'a link',
  pipe: 'a pipe (FIFO)',
  socket: 'a socket',
  device: 'a device',
}

export function notAFile(place: Place): PathProblem {
  if (place.kind === 'missing') return missing(place.path)
  const next = place.kind === 'folder' ? ' Use file.list to see what is in it.' : ' Only regular files can be used.'
  return new PathProblem('not-a-file', `${showPath(place.path)} is ${nameOf[place.kind]}, not a file.${next}`)
}

export function missing(path: string): PathProblem {
  const hint = path.includes('\\') ? 'Write / between folders.' : 'Look with file.list or file.glob.'
  return new PathProblem('missing', `There is no ${showPath(path)} in the work folder. ${hint}`)
}
