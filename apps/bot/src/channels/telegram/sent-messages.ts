// The platform's id of a delivery: its chat and the messages it became, `-100123:7,8`. A comma at the end says that
// more of it is to come: a sender was lost, or told to wait, between two of them.

export interface SentMessages {
  chatId: number
  messageIds: number[]
  complete: boolean
}

export const formatSent = ({ chatId, messageIds, complete }: SentMessages): string =>
  `${chatId}:${messageIds.join(',')}${complete ? '' : ','}`

/** Null for what is none of ours. */
export function parseSent(externalId: string | null): SentMessages | null {
  const match = /^(-?\d{1,16}):(\d{1,12}(?:,\d{1,12})*)(,?)$/.exec(externalId ?? '')
  if (!match) return null
  const [, chatId, ids = '', more] = match
  return { chatId: Number(chatId), messageIds: ids.split(',').map(Number), complete: more === '' }
}
