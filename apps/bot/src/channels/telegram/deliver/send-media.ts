import { InputFile } from 'grammy'
import { DeliveryFailure, type DeliveryPayload } from '../../channel.ts'
import { asSignal, type TelegramConnection } from '../connect/telegram-connection.ts'
import { type ChatPlace, target } from '../conversation-key.ts'
import { channelLimits, telegramLimits } from '../limits.ts'
import { shorten } from '../render/escape-html.ts'
import { isMisunderstood } from './to-failure.ts'

type Media = Extract<DeliveryPayload, { kind: 'media' }>

/** As what it is, so that it is seen or heard in the chat; as a document where Telegram does not take it as that. */
export async function sendMedia(
  { api }: TelegramConnection,
  place: ChatPlace,
  { filename, mimeType, data, caption }: Media,
  signal: AbortSignal,
): Promise<number> {
  const content = Buffer.from(data, 'base64')
  if (content.length > channelLimits.fileBytes)
    throw new DeliveryFailure(
      `"${filename}" is larger than the ${channelLimits.fileBytes / 1024 / 1024} MB that Telegram takes.`,
      null,
    )
  const common = { ...target(place), ...(caption ? { caption: shorten(caption, telegramLimits.caption) } : {}) }
  // A file is read while it is sent, so each attempt has one of its own.
  const file = () => new InputFile(content, filename)
  const document = () => api.raw.sendDocument({ ...common, document: file() }, asSignal(signal))
  const send = async () => {
    const [family, type] = mimeType.split(';')[0]?.trim().toLowerCase().split('/') ?? []
    if (family === 'image' && type === 'gif')
      return api.raw.sendAnimation({ ...common, animation: file() }, asSignal(signal))
    if (
      family === 'image' &&
      ['jpeg', 'png', 'webp'].includes(type ?? '') &&
      content.length <= telegramLimits.photoBytes
    )
      return api.raw.sendPhoto({ ...common, photo: file() }, asSignal(signal))
    if (family === 'audio' && (type === 'ogg' || type === 'opus'))
      return api.raw.sendVoice({ ...common, voice: file() }, asSignal(signal))
    if (family === 'audio' && ['mpeg', 'mp3', 'mp4', 'x-m4a', 'm4a'].includes(type ?? ''))
      return api.raw.sendAudio({ ...common, audio: file() }, asSignal(signal))
    if (family === 'video' && type === 'mp4') return api.raw.sendVideo({ ...common, video: file() }, asSignal(signal))
    return document()
  }
  try {
    return (await send()).message_id
  } catch (error) {
    if (!isMisunderstood(error)) throw error
    return (await document()).message_id
  }
}
