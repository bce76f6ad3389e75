// The first data: what an empty database needs so that somebody can sign in and an agent can answer.
import { recordAudit } from './audit.ts'
import { type Database, inTransaction } from './client.ts'
import { newId } from './ids.ts'
import { hashPassword } from './password.ts'
import { Problem } from './problem.ts'
import { workspaceNameShape } from './settings.ts'
import { parseEmail } from './sign-in.ts'

export interface FirstData {
  ownerEmail: string
  ownerPassword: string
  workspaceName: string
}

const instructions = `You are Quartermaster, the assistant of this team. You answer in the thread you were asked in.
Say what you did and what you found, briefly and in plain words. Use tools where they help; when you are not allowed to do something, say so and say who could allow it. When you are not sure what is wanted, ask.`

/**
 * What the first agent may do beyond the profile `messaging`, which only reads: work in its own folder, shut in and
 * without a network, look at pages, and show people what it made. Commands and commits ask by themselves.
 */
const allowedTools = [
  'group:fs',
  'group:runtime',
  'group:git',
  'browser.*',
  'media.send',
  'image.analyze',
  'audio.transcribe',
  'sessions.list',
]

/**
 * A person confirms each write, so that the first thing somebody tries shows what the product is about. Whoever finds
 * that too careful removes the hook, and the tool's own (`log`) holds.
 */
const confirmedTools = ['vfs.write', 'file.write', 'file.edit']

/** All of it in one transaction, once: with a workspace there already, nothing is done. */
export async function seedFirstData(db: Database, input: FirstData): Promise<{ created: boolean }> {
  const seeded = await db.pool.query('SELECT 1 FROM workspaces LIMIT 1')
  if (seeded.rowCount) return { created: false }
  const email = parseEmail(input.ownerEmail)
  if (!email)
    throw new Problem(
      'QM_OWNER_EMAIL is not an e-mail address.',
      'Set it to one like owner@example.com, or leave it out.',
    )
  const name = workspaceNameShape.parse(input.workspaceName)
  const passwordHash = await hashPassword(input.ownerPassword)

  return inTransaction(db, async (tx) => {
    // Two processes that start together on an empty database: the second one waits here and then finds it done.
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('seed first data', 0))`)
    const again = await tx.query('SELECT 1 FROM workspaces LIMIT 1')
    if (again.rowCount) return { created: false }

    const workspaceId = newId('wsp')
    const loginId = newId('log')
    const memberId = newId('mem')
    const agentId = newId('agt')
    const ownerName = nameFrom(email)
    const insert = (table: string, row: Record<string, unknown>) =>
      tx.query(
        `INSERT INTO ${table} (${Object.keys(row).join(', ')})
         VALUES (${Object.keys(row)
           .map((_, index) => `$${index + 1}`)
           .join(', ')})`,
        Object.values(row),
      )

    await insert('workspaces', { id: workspaceId, slug: slugFrom(name), name })
    await insert('logins', {
      id: loginId,
      email,
      name: ownerName,
      password_hash: passwordHash,
      email_verified: new Date(),
    })
    await insert('members', { id: memberId, workspace_id: workspaceId, name: ownerName, email, role: 'owner' })
    await insert('identities', {
      id: newId('idn'),
      workspace_id: workspaceId,
      member_id: memberId,
      kind: 'console',
      external_id: loginId,
      login_id: loginId,
    })
    await insert('policy_settings', {
      workspace_id: workspaceId,
      allow: allowedTools,
      deny: [],
      hooks: JSON.stringify(confirmedTools.map((pattern) => ({ pattern, hook: 'confirm' }))),
    })
    await insert('agents', {
      id: agentId,
      workspace_id: workspaceId,
      slug: 'quartermaster',
      name: 'Quartermaster',
      description: 'Answers wherever no other agent is bound.',
    })
    await insert('agent_versions', {
      id: newId('agv'),
      workspace_id: workspaceId,
      agent_id: agentId,
      number: 1,
      published_at: new Date(),
      published_by: memberId,
      instructions,
      tools_allow: allowedTools,
      tools_deny: [],
      note: 'The first version.',
    })
    await insert('channels', {
      id: newId('chn'),
      workspace_id: workspaceId,
      kind: 'web',
      name: 'Web',
      external_id: 'web',
      status: 'connected',
      status_detail: 'Part of the console.',
      default_agent_id: agentId,
    })
    await recordAudit(tx, {
      workspaceId,
      actor: { kind: 'system', id: 'seed' },
      action: 'workspace.create',
      subject: { kind: 'workspace', id: workspaceId },
      data: { name, owner: memberId, agent: agentId },
    })
    return { created: true }
  })
}

/** `ada.lovelace@example.com` → `Ada Lovelace`; it can be changed in the console. */
function nameFrom(email: string): string {
  const words = (email.split('@')[0] as string).split(/[._+-]+/).filter(Boolean)
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ') || 'Owner'
}

function slugFrom(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return slug.slice(0, 40) || 'workspace'
}
