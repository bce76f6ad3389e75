import { randomBytes } from 'node:crypto'
import { parseBlocks } from '../blocks/parse-message.ts'
import { fileObject } from '../file-object.ts'
import type { Json, SlackFile } from '../model.ts'
import { invalidArguments, Refusal } from '../refusal.ts'
import { parseThread, post } from './chat.ts'
import { type Methods, needString, writableChannel } from './method.ts'

/** The largest file that Slack takes. */
const mostBytes = 1024 ** 3

interface Upload {
  file: SlackFile
  length: number
  received: boolean
  completed: boolean
}

/** Uploads that were announced and not completed yet, by ticket and by file. */
export class Uploads {
  readonly #byTicket = new Map<string, Upload>()
  readonly #byFile = new Map<string, Upload>()

  announce(file: SlackFile, length: number): string {
    const ticket = randomBytes(16).toString('base64url')
    const upload = { file, length, received: false, completed: false }
    this.#byTicket.set(ticket, upload)
    this.#byFile.set(file.id, upload)
    return ticket
  }

  /** Takes the bytes; false when nobody announced them or they are not as many as announced. */
  receive(ticket: string, content: Buffer): boolean {
    const upload = this.#byTicket.get(ticket)
    if (!upload || upload.received || content.length !== upload.length) return false
    upload.file.content = content
    upload.received = true
    return true
  }

  complete(fileId: unknown): SlackFile {
    const upload = this.#byFile.get(String(fileId))
    if (!upload?.received || upload.completed) throw new Refusal('file_not_found')
    return upload.file
  }

  finish(file: SlackFile): void {
    const upload = this.#byFile.get(file.id)
    if (upload) upload.completed = true
  }
}

const types: Record<string, string> = {
  csv: 'text/csv',
  gif: 'image/gif',
  html: 'text/html',
  jpg: 'image/jpeg',
  json: 'application/json',
  md: 'text/markdown',
  pdf: 'application/pdf',
  png: 'image/png',
  txt: 'text/plain',
}

export function fileMethods(uploads: Uploads): Methods {
  return {
    'files.getUploadURLExternal': {
      token: 'bot',
      scope: 'files:write',
      tier: 4,
      run({ core, args, team, bot }) {
        const name = needString(args, 'filename')
        const length = Number(args.length)
        if (!Number.isInteger(length) || length <= 0)
          throw invalidArguments('must be more than 0 [json-pointer:/length]')
        if (length > mostBytes) throw new Refusal('file_upload_size_restricted')
        const file: SlackFile = {
          id: core.world.id('F'),
          teamId: team.id,
          user: bot.userId,
          name,
          title: name,
          mimetype: types[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'application/octet-stream',
          content: Buffer.alloc(0),
          createdAt: core.clock.now(),
          voice: null,
          shares: [],
        }
        return { upload_url: `${core.baseUrl}/upload/v1/${uploads.announce(file, length)}`, file_id: file.id }
      },
    },
    'files.completeUploadExternal': {
      token: 'bot',
      scope: 'files:write',
      tier: 4,
      run(call) {
        const { core, args } = call
        const list = args.files as { id: string; title?: string }[] | undefined
        if (!Array.isArray(list) || !list.length)
          throw invalidArguments('missing required field: files [json-pointer:/files]')
        const files = list.map(({ id }) => uploads.complete(id))
        const channel = args.channel_id === undefined ? null : writableFor(() => writableChannel(call, args.channel_id))
        const thread = channel ? parseThread(core, channel, args.thread_ts) : {}
        const blocks = args.blocks === undefined ? undefined : parseBlocks(args.blocks)
        if (blocks && args.initial_comment !== undefined)
          throw invalidArguments('must define either `blocks` or `initial_comment`')
        files.forEach((file, index) => {
          file.title = list[index]?.title ?? file.name
          core.world.files.set(file.id, file)
          uploads.finish(file)
        })
        // The answer comes before the message, as with Slack: it does not say which `ts` the file will have.
        const answer: Json = { files: files.map((file) => fileObject(core, file)) }
        if (channel) {
          const text = typeof args.initial_comment === 'string' ? args.initial_comment : ''
          const message = post(call, channel, {
            text,
            subtype: 'file_share',
            files,
            ...thread,
            ...(blocks ? { blocks } : {}),
          })
          for (const file of files) file.shares.push({ channel: channel.id, ts: message.ts, ...thread })
        }
        return answer
      },
    },
    'files.info': {
      token: 'bot',
      scope: 'files:read',
      tier: 4,
      run({ core, args, team, bot }) {
        const file = core.world.files.get(needString(args, 'file'))
        if (!file || (file.teamId !== team.id && !isShared(core, file, bot.userId))) throw new Refusal('file_not_found')
        return { file: fileObject(core, file), comments: [], response_metadata: { next_cursor: '' } }
      },
    },
  }
}

function isShared(core: Parameters<typeof fileObject>[0], file: SlackFile, botUserId: string): boolean {
  return file.shares.some(({ channel }) => core.world.channels.get(channel)?.members.has(botUserId))
}

/** Files have a name of their own for a channel that is not there. */
function writableFor<Result>(find: () => Result): Result {
  try {
    return find()
  } catch (error) {
    if (error instanceof Refusal && error.code === 'channel_not_found') throw new Refusal('invalid_channel')
    throw error
  }
}
