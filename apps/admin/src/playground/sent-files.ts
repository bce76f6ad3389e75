import type { ReadDelivery } from '@quartermaster/db'
import { imageTypes } from './limits.ts'
import type { Entry } from './view.ts'

/** A file that the agent sent, as an entry; what was not delivered says so. Null for any other delivery. */
export function renderSentFile(conversationId: string, delivery: ReadDelivery): Entry | null {
  if (delivery.kind !== 'media') return null
  const { filename, mimeType, caption } = (delivery.payload ?? {}) as Record<string, unknown>
  const name = typeof filename === 'string' ? filename : 'a file'
  const at = delivery.createdAt.toISOString()
  if (delivery.status === 'failed')
    return {
      kind: 'notice',
      key: `file-${delivery.id}`,
      text: `${name} could not be sent: ${delivery.error ?? ''}`,
      at,
    }
  if (delivery.status !== 'sent') return null
  return {
    kind: 'file',
    key: `file-${delivery.id}`,
    at,
    file: {
      name,
      address: `/api/playground/sessions/${encodeURIComponent(conversationId)}/files/${encodeURIComponent(delivery.id)}`,
      isImage: imageTypes.includes(String(mimeType)),
      caption: typeof caption === 'string' && caption.trim() ? caption : null,
    },
  }
}
