// With which token we speak in a team: the one that is set, or the one that came with an installation through OAuth.
import { deleteInstallation, findInstallation, saveInstallation } from '@quartermaster/db'
import { z } from 'zod'
import type { ChatServices } from '../../../chat/chat-services.ts'

export interface InstalledTeam {
  teamId: string
  teamName: string
  token: string
  botUserId: string
  botId: string | null
}

/** What is kept of an installation, sealed like a secret. */
const installedTeam = z.object({
  teamId: z.string(),
  teamName: z.string(),
  token: z.string(),
  botUserId: z.string(),
  botId: z.string().nullable(),
})

type Store = Pick<ChatServices, 'db' | 'keys'>

export async function saveTeam({ db, keys }: Store, team: InstalledTeam): Promise<void> {
  await saveInstallation(db, keys, { kind: 'slack', externalId: team.teamId, data: installedTeam.parse(team) })
}

export async function findTeam({ db, keys }: Store, teamId: string): Promise<InstalledTeam | null> {
  const found = await findInstallation(db, keys, { kind: 'slack', externalId: teamId })
  return found ? installedTeam.parse(found) : null
}

export async function forgetTeam({ db }: Pick<Store, 'db'>, teamId: string): Promise<void> {
  await deleteInstallation(db, { kind: 'slack', externalId: teamId })
}
