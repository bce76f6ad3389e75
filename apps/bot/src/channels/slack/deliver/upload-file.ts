// A file in the thread: Slack gives a place to upload to and the file's id, takes the content, and then shares it. The id
// is noted before it is shared, so that whoever takes the delivery over can tell whether it was.
import { createConversationNotes } from '@quartermaster/db'
import { DeliveryFailure, type DeliveryPayload } from '../../channel.ts'
import { limits, slackLimits } from '../limits.ts'
import { clip } from '../render/clip.ts'
import { escapeMrkdwn } from '../render/mrkdwn.ts'
import { findSent } from './find-sent.ts'
import type { Sending } from './finish-streams.ts'

/** A conversation's deliveries go out one at a time, so one note is enough for it. */
const noteName = 'slack.upload'

export async function uploadFile(
  { slack, client, place, delivery }: Sending,
  { filename, data, caption }: DeliveryPayload & { kind: 'media' },
  signal: AbortSignal,
): Promise<string | null> {
  const { db } = slack.chat
  const content = Buffer.from(data, 'base64')
  if (content.length > slackLimits.fileBytes)
    throw new DeliveryFailure(`A file has at most ${slackLimits.fileBytes} bytes here.`, null)
  const notes = createConversationNotes(db)
  if (delivery.takenOver) {
    const noted = (await notes.read(delivery.conversationId, noteName)) as Record<string, unknown> | null
    const fileId = noted?.delivery === delivery.deliveryId ? String(noted.file) : null
    const sent = fileId && (await findSent({ client, db, place }, delivery, fileId))
    if (sent) return sent
  }
  const name = clip(filename.replace(/[\n\r]/g, ' ').trim(), limits.fileName) || 'file'
  const { upload_url, file_id } = await client.files.getUploadURLExternal({
    filename: name,
    length: Math.max(1, content.length),
  })
  if (!upload_url || !file_id) throw new Error('Slack named no place to upload to')
  // An empty file cannot be uploaded; one line break is as good as empty.
  await upload(upload_url, content.length ? content : Buffer.from('\n'), signal)
  await notes.write(delivery.conversationId, noteName, { delivery: delivery.deliveryId, file: file_id })
  signal.throwIfAborted()
  const shared = await client.files.completeUploadExternal({
    files: [{ id: file_id, title: name }],
    channel_id: place.channel,
    ...(place.threadTs === null ? {} : { thread_ts: place.threadTs }),
    ...(caption ? { initial_comment: escapeMrkdwn(clip(caption, limits.sectionText)) } : {}),
  } as Parameters<typeof client.files.completeUploadExternal>[0])
  return shared.files?.[0]?.id ?? file_id
}

/** The address is a secret of its own, so no token goes with it. Nothing is shared yet, so this can be done again. */
async function upload(url: string, content: Buffer, signal: AbortSignal): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    body: new Uint8Array(content),
    headers: { 'content-type': 'application/octet-stream' },
    signal,
  })
  if (response.ok) return
  const seconds = Number(response.headers.get('retry-after'))
  if (response.status === 429)
    throw new DeliveryFailure('Slack asked us to slow down.', (seconds > 0 ? seconds : 30) * 1000)
  throw new Error(`the upload of a file was answered with ${response.status}`)
}
