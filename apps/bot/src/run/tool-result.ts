import type { StepCall, Turn } from '@quartermaster/db'
import type { Finished, Media } from '@quartermaster/tools'

/** A block that answers a tool use. */
export interface ToolResultBlock {
  type: 'tool_result'
  tool_use_id: string
  content: string | Record<string, unknown>[]
  is_error?: true
}

/** Pictures that the model can look at; anything else goes to people only. */
const pictures = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
/** How many pictures of one call the model is shown, and how large each may be, as base64 (the API's limit is 5 MB). */
const mostPictures = 8
const pictureLength = 5_000_000
/** How much of the arguments that a person wrote is repeated to the model. */
const editLength = 10_000

/** `row`: as the call stood before it ran, where it had one. */
export function resultOfOutcome(toolUseId: string, outcome: Finished, row?: StepCall): ToolResultBlock {
  const { output, success, error, media } = outcome
  return block(toolUseId, noteEdit(row) + output, success ? null : (error ?? 'The tool failed.'), media)
}

/** Of a call that ended before: under another claim, or by a person's no. */
export function resultOfCall(
  row: Pick<StepCall, 'toolUseId' | 'status' | 'output' | 'error' | 'editedBy' | 'arguments'>,
  /** What it brought besides words. */
  files: readonly Media[] = [],
): ToolResultBlock {
  const { toolUseId, status, output, error } = row
  const failure = status === 'succeeded' ? null : (error ?? `The call was ${status}.`)
  const advice =
    status === 'interrupted' ? ' It may have had its effect. Find out before you try again, or ask the person.' : ''
  const note = status === 'denied' ? '' : noteEdit(row)
  return block(toolUseId, note + (output ?? ''), failure && failure + advice, files)
}

/** The model knows only what it asked for, and would go on as if that had been done. */
function noteEdit(row: Pick<StepCall, 'editedBy' | 'arguments'> | undefined): string {
  if (!row?.editedBy) return ''
  const args = JSON.stringify(row.arguments)
  const shown = args.length > editLength ? `${args.slice(0, editLength)}… (${args.length} characters in all)` : args
  return `[${row.editedBy} changed this call before approving it. These arguments took the place of yours: ${shown}]\n\n`
}

export function resultOfBroken(toolUseId: string, broken: NonNullable<Turn['broken']>[number]): ToolResultBlock {
  const what =
    broken.reason === 'cut'
      ? 'Your answer was cut inside the arguments of this call'
      : 'The arguments of this call are not a JSON object'
  return block(toolUseId, '', `${what}, so it did not run. Call again with complete arguments.`, [])
}

function block(toolUseId: string, output: string, error: string | null, media: readonly Media[]): ToolResultBlock {
  const text = [output, error === null ? '' : `Error: ${error}`].filter(Boolean).join('\n\n') || '(no output)'
  const shown = media
    .filter(({ mimeType, data }) => pictures.includes(mimeType) && data.length <= pictureLength)
    .slice(0, mostPictures)
    .map(({ mimeType, data }) => ({ type: 'image', source: { type: 'base64', media_type: mimeType, data } }))
  return {
    type: 'tool_result',
    tool_use_id: toolUseId,
    content: shown.length && error === null ? [{ type: 'text', text }, ...shown] : text,
    ...(error === null ? {} : { is_error: true }),
  }
}
