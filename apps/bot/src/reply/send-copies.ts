// Whoever may answer a question and is not where it was asked is shown it alone, in a direct conversation on a platform
// where the bot knows them. Asked for again, nobody gets a second one (copyQuestion).
import { copyQuestion, type Database, findCopyRecipients } from '@quartermaster/db'
import type { Channel } from '../channels/channel.ts'
import type { Log } from '../log.ts'

export interface Copying {
  db: Database
  channels: readonly Channel[]
  log: Log
}

export async function sendCopies({ db, channels, log }: Copying, questionId: string): Promise<void> {
  const direct = channels.filter(({ directKey }) => directKey)
  if (!direct.length) return
  const kinds = direct.map(({ kind }) => kind)
  for (const { memberId, channelId, channelKind, identityExternalId } of await findCopyRecipients(db, {
    questionId,
    kinds,
  })) {
    const conversationKey = direct.find(({ kind }) => kind === channelKind)?.directKey?.(identityExternalId)
    if (!conversationKey) continue
    const sent = await copyQuestion(db, { questionId, memberId, channelId, conversationKey })
    if (sent) log.debug({ questionId, memberId, channelKind }, 'a question is shown to somebody alone')
  }
}
