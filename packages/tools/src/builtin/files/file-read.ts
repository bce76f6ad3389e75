import { aliasesOf } from '../../builtin-aliases.ts'
import { failed, succeeded, type ToolResult } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import { type OpenFile, showPath } from '../../guard/paths/index.ts'
import type { WorkFolders } from '../../ports/work-folders.ts'
import { readLines } from './read-lines.ts'
import { countOf, decodeText, fileCommon, fileLimits, inWorkFolder, sizeOf } from './work-files.ts'

export function createFileReadTool(folders: WorkFolders) {
  return defineTool({
    ...fileCommon,
    name: 'file.read',
    title: 'Read a file',
    description:
      'Reads a file of the work folder: a text as a whole or some of its lines, or any file as base64. ' +
      `Texts over ${sizeOf(fileLimits.readBytes)} are read in parts, with offset and limit.`,
    effect: 'read',
    hook: 'silent',
    idempotent: true,
    eagerInputStreaming: true,
    // With room for line numbers, and for the hint at the end.
    maxOutputBytes: 2 * fileLimits.readBytes,
    aliases: aliasesOf('file.read'),
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'The file, from the work folder: src/main.ts' },
        encoding: {
          enum: ['utf8', 'base64'],
          default: 'utf8',
          description: 'utf8 for text (default); base64 for images and other binary files',
        },
        offset: { type: 'integer', minimum: 0, description: 'The line to start from; the first line is 1' },
        limit: { type: 'integer', minimum: 1, maximum: 100_000, description: 'How many lines' },
        line_numbers: {
          type: 'boolean',
          default: false,
          description: 'Whether each line begins with its number (default false)',
        },
      },
      required: ['path'],
      additionalProperties: false,
    },
    execute: async ({ path, encoding, ...wanted }, context) =>
      inWorkFolder(folders, context, (folder) =>
        folder.file(path, (file) => {
          context.signal.throwIfAborted()
          return encoding === 'base64' ? readBase64(file) : readText(file, wanted, context.signal)
        }),
      ),
  })
}

interface Wanted {
  offset?: number
  limit?: number
  line_numbers: boolean
}

async function readText({ handle, stat, path }: OpenFile, wanted: Wanted, signal: AbortSignal): Promise<ToolResult> {
  const shown = showPath(path)
  const isPart = wanted.offset !== undefined || wanted.limit !== undefined
  if (!isPart && stat.size > fileLimits.readBytes)
    return failed(
      `${shown} has ${sizeOf(stat.size)}; at most ${sizeOf(fileLimits.readBytes)} are read at once. ` +
        'Read it in parts, with offset 1 and limit 2000 to begin with, or search it with file.grep.',
    )
  const from = Math.max(wanted.offset ?? 1, 1)
  const most = wanted.limit ?? Number.POSITIVE_INFINITY
  const range = { from, most, mostBytes: fileLimits.readBytes, scanBytes: fileLimits.scanBytes }
  const lines = await readLines(handle, range, signal)
  if (lines.problem?.kind === 'past-the-end')
    return failed(`${shown} has only ${countOf(lines.problem.lines, 'line')}; there is no line ${from}.`)
  if (lines.problem?.kind === 'far')
    return failed(
      `Line ${from} of ${shown} is more than ${sizeOf(fileLimits.scanBytes)} into it. Search it with file.grep.`,
    )
  if (lines.problem?.kind === 'long-line') return failed(await whyLong(handle, shown, from))
  const text = decodeText(lines.bytes)
  if (text === null) return failed(notText(shown, stat.size))
  const data = { path, size: stat.size, from, lines: lines.count, more: lines.more }
  const body = wanted.line_numbers ? numbered(text, from) : text
  if (!lines.more) return succeeded(body, { data })
  const next = from + lines.count
  const gap = body.endsWith('\n') ? '' : '\n'
  return succeeded(`${body}${gap}(There is more after line ${next - 1}: read on with offset ${next}.)`, { data })
}

async function readBase64({ handle, stat, path }: OpenFile): Promise<ToolResult> {
  if (stat.size > fileLimits.base64Bytes)
    return failed(
      `${showPath(path)} has ${sizeOf(stat.size)}; at most ${sizeOf(fileLimits.base64Bytes)} are read as base64. ` +
        'Send it with media.send, look at it with image.analyze, or work on it with shell.exec.',
    )
  const content = Buffer.alloc(fileLimits.base64Bytes)
  const { bytesRead } = await handle.read(content, 0, content.length, 0)
  return succeeded(content.toString('base64', 0, bytesRead), { data: { path, size: bytesRead } })
}

/** The beginning tells whether it is one very long line or no text at all. */
async function whyLong(handle: OpenFile['handle'], shown: string, line: number): Promise<string> {
  const beginning = Buffer.alloc(8_192)
  const { bytesRead } = await handle.read(beginning, 0, beginning.length, 0)
  if (beginning.subarray(0, bytesRead).includes(0)) return notText(shown, null)
  return (
    `Line ${line} of ${shown} is longer than ${sizeOf(fileLimits.readBytes)}. ` +
    'Search it with file.grep, or cut it with shell.exec (head -c, cut).'
  )
}

const notText = (shown: string, size: number | null) =>
  `${shown} is not text: its bytes are not UTF-8. Read it with encoding base64` +
  (size !== null && size <= fileLimits.base64Bytes ? '.' : `, if it has at most ${sizeOf(fileLimits.base64Bytes)}.`)

function numbered(text: string, from: number): string {
  if (text === '') return '(the file is empty)'
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
  return lines.map((line, index) => `${String(from + index).padStart(6)}\t${line}`).join('\n')
}
