import type { PolicyContent, PolicyDraft, StoredPolicy } from '@quartermaster/db'
import type { LynkrPolicy } from '@quartermaster/tools'
import { notFound } from 'next/navigation'
import { cache } from 'react'
import { data } from '../data.ts'
import { runtime } from '../runtime.ts'
import type { CurrentMember } from '../session.ts'
import { readInstallation } from './compile-policy.ts'
import { type PolicyTools, readPolicyTools } from './read-tools.ts'

/** What every page of the area begins with. */
export interface PolicyView {
  workspaceId: string
  /** The live policy, with every agent's layer. */
  stored: StoredPolicy
  live: PolicyContent
  /** Null for whoever may not edit: a draft is nobody's policy. */
  draft: PolicyDraft | null
  /** What is shown: the draft where there is one to be seen, else what is live. */
  content: PolicyContent
  mayEdit: boolean
  /** What an edit says that it saw. */
  seen: string
  agents: { id: string; name: string; archived: boolean }[]
  tools: PolicyTools
  installation: LynkrPolicy
}

export const readPolicyView = cache(async ({ membership }: CurrentMember): Promise<PolicyView> => {
  const { workspaceId } = membership
  const { db } = runtime()
  const mayEdit = data.atLeast(membership.role, 'admin')
  const [stored, live, draft, tools, installation, agents] = await Promise.all([
    data.loadPolicy(db, workspaceId),
    data.readPolicyContent(db, workspaceId),
    mayEdit ? data.readPolicyDraft(db, workspaceId) : null,
    readPolicyTools(workspaceId),
    readInstallation(),
    listAgents(workspaceId),
  ])
  if (!stored || !live) notFound()
  return {
    workspaceId,
    stored,
    live: live.content,
    draft,
    content: draft?.content ?? live.content,
    mayEdit,
    seen: draft?.updatedAt.toISOString() ?? '',
    agents,
    tools,
    installation,
  }
})

async function listAgents(workspaceId: string): Promise<PolicyView['agents']> {
  const { rows } = await runtime().db.pool.query<PolicyView['agents'][number]>(
    `SELECT id, name, archived_at IS NOT NULL AS archived FROM agents WHERE workspace_id = $1
     ORDER BY archived_at IS NOT NULL, name, id`,
    [workspaceId],
  )
  return rows
}
