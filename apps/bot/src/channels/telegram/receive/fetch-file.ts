import { Problem } from '@quartermaster/db'
import type { ChatReference } from '../../../chat/chat-services.ts'
import type { Fetched } from '../../channel.ts'
import { describeRefusal } from '../connect/describe-refusal.ts'
import { asSignal, type TelegramConnection } from '../connect/telegram-connection.ts'
import { telegramLimits } from '../limits.ts'

/** Telegram keeps no threads for bots: what is referred to is always a file. */
export async function fetchFile(
  { api, settings }: TelegramConnection,
  reference: ChatReference,
  signal: AbortSignal,
): Promise<Fetched> {
  if (reference.kind !== 'file') throw new Problem('Telegram does not tell what was said before.', 'Say it again.')
  const { id, name, mimeType, size } = reference
  if (size !== null && size > telegramLimits.downloadBytes) throw tooLarge(name)
  const file = await api.getFile(id, asSignal(signal)).catch((error: unknown) => {
    if (describeRefusal(error).includes('file is too big')) throw tooLarge(name)
    throw new Problem(`Telegram does not have "${name}" any more (${describeRefusal(error)}).`, 'Send it again.')
  })
  if (!file.file_path) throw new Problem(`Telegram does not give out "${name}".`, 'Send it again.')
  // The address holds the token, so nothing that could name it leaves this function.
  const path = file.file_path.split('/').map(encodeURIComponent).join('/')
  const answer = await fetch(`${settings.apiRoot}/file/bot${settings.botToken}/${path}`, {
    signal,
    redirect: 'error',
  }).catch(() => null)
  if (!answer?.ok) throw new Problem(`"${name}" could not be downloaded from Telegram.`, 'Send it again.')
  return { kind: 'file', name, mimeType, content: await readBody(answer, name) }
}

const tooLarge = (name: string) =>
  new Problem(
    `"${name}" is larger than the ${telegramLimits.downloadBytes / 1024 / 1024} MB that Telegram gives to bots.`,
    'Send a smaller file, or a link to it.',
  )

async function readBody(answer: Response, name: string): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > telegramLimits.downloadBytes) throw tooLarge(name)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
