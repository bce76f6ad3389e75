// Scopes and who has them. A scope is the named permission that unlocks its secrets; a grant gives it to an agent. A tool
// gets a value only where it declares the scope and its agent was granted it (open-secrets-for-call.ts).
import { type Actor, recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { newId } from './ids.ts'
import { limits } from './limits.ts'
import { Problem } from './problem.ts'
import { checkSecretName } from './secrets.ts'
import { storableText } from './storable.ts'

interface ScopeChange {
  workspaceId: string
  scopeId: string
  actor: Actor
}

/** Throws a Problem where the name is taken or can be none. */
export async function createScope(
  db: Database,
  input: { workspaceId: string; name: string; description: string; actor: Actor },
): Promise<string> {
  checkSecretName('scope', input.name)
  const id = newId('scp')
  return inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query(
      `INSERT INTO secret_scopes (id, workspace_id, name, description) VALUES ($1, $2, $3, $4)
       ON CONFLICT (workspace_id, name) DO NOTHING`,
      [id, input.workspaceId, input.name, storableText(input.description)],
    )
    if (!rowCount) throw new Problem(`There is a scope ${input.name} already.`, 'Choose another name, or use that one.')
    await recordAudit(tx, {
      workspaceId: input.workspaceId,
      actor: input.actor,
      action: 'scope.create',
      subject: { kind: 'scope', id },
      data: { name: input.name, description: input.description },
    })
    return id
  })
}

/** False when it says that already, or there is no such scope in this workspace. */
export function describeScope(db: Database, input: ScopeChange & { description: string }): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const before = await lockScope(tx, input)
    const after = storableText(input.description)
    if (!before || before.description === after) return false
    await tx.query('UPDATE secret_scopes SET description = $2 WHERE id = $1', [input.scopeId, after])
    await recordAudit(tx, {
      workspaceId: input.workspaceId,
      actor: input.actor,
      action: 'scope.describe',
      subject: { kind: 'scope', id: input.scopeId },
      data: { name: before.name, description: { before: before.description, after } },
    })
    return true
  })
}

/**
 * A scope without secrets goes, and with it its grants and the history of secrets that were retired. Throws a Problem
 * that names the secrets it still has. False when there is no such scope in this workspace.
 */
export function deleteScope(db: Database, input: ScopeChange): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    // Whoever is just storing a secret in it holds the scope; afterwards that secret is seen here.
    const scope = await lockScope(tx, input)
    if (!scope) return false
    const { rows: secrets } = await tx.query(
      'SELECT name FROM secrets WHERE workspace_id = $1 AND scope_id = $2 AND deleted_at IS NULL ORDER BY name',
      [input.workspaceId, input.scopeId],
    )
    if (secrets.length)
      throw new Problem(
        `The scope ${scope.name} still has ${secrets.map(({ name }) => name).join(', ')}.`,
        'Retire what is in it first.',
      )
    const { rows: grants } = await tx.query(
      'DELETE FROM grants WHERE workspace_id = $1 AND scope_id = $2 RETURNING agent_id',
      [input.workspaceId, input.scopeId],
    )
    await tx.query('DELETE FROM secret_scopes WHERE id = $1', [input.scopeId])
    await recordAudit(tx, {
      workspaceId: input.workspaceId,
      actor: input.actor,
      action: 'scope.delete',
      subject: { kind: 'scope', id: input.scopeId },
      data: { name: scope.name, agentId: grants.map(({ agent_id }) => agent_id) },
    })
    return true
  })
}

async function lockScope(
  tx: Queryable,
  { workspaceId, scopeId }: { workspaceId: string; scopeId: string },
): Promise<{ name: string; description: string } | null> {
  const { rows } = await tx.query(
    'SELECT name, description FROM secret_scopes WHERE workspace_id = $1 AND id = $2 FOR UPDATE',
    [workspaceId, storableText(scopeId)],
  )
  return rows[0] ?? null
}

interface GrantChange {
  workspaceId: string
  agentId: string
  scopeId: string
}

/** Counts from the agent's next tool call on. False when it has the scope already. */
export function grantScope(db: Database, input: GrantChange & { actor: Actor & { kind: 'member' } }): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query(
      `SELECT a.id AS agent, c.name AS scope FROM agents a JOIN secret_scopes c ON c.workspace_id = a.workspace_id
       WHERE a.workspace_id = $1 AND a.id = $2 AND c.id = $3 AND a.archived_at IS NULL FOR SHARE OF a, c`,
      [input.workspaceId, storableText(input.agentId), storableText(input.scopeId)],
    )
    if (!rows[0]) throw new Problem('There is no such agent or no such scope in this workspace.', 'Reload the page.')
    const { rowCount } = await tx.query(
      `INSERT INTO grants (workspace_id, agent_id, scope_id, granted_by) VALUES ($1, $2, $3, $4)
       ON CONFLICT (agent_id, scope_id) DO NOTHING`,
      [input.workspaceId, input.agentId, input.scopeId, input.actor.id],
    )
    if (!rowCount) return false
    await recordAudit(tx, {
      workspaceId: input.workspaceId,
      actor: input.actor,
      action: 'grant.add',
      subject: { kind: 'agent', id: input.agentId },
      data: { scopeId: input.scopeId, scope: rows[0].scope },
    })
    return true
  })
}

/** Counts from the agent's next tool call on; one that runs already keeps what it was given. */
export function revokeGrant(db: Database, input: GrantChange & { actor: Actor }): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query(
      `DELETE FROM grants g USING secret_scopes c
       WHERE g.workspace_id = $1 AND g.agent_id = $2 AND g.scope_id = $3 AND c.id = g.scope_id RETURNING c.name`,
      [input.workspaceId, storableText(input.agentId), storableText(input.scopeId)],
    )
    if (!rows[0]) return false
    await recordAudit(tx, {
      workspaceId: input.workspaceId,
      actor: input.actor,
      action: 'grant.revoke',
      subject: { kind: 'agent', id: input.agentId },
      data: { scopeId: input.scopeId, scope: rows[0].name },
    })
    return true
  })
}

export interface ListedScope {
  id: string
  name: string
  description: string
  createdAt: Date
  agents: { id: string; name: string; grantedBy: string; grantedAt: string }[]
  /** The names of the tools that declare it. */
  tools: string[]
}

export async function listScopes(db: { pool: Queryable }, workspaceId: string): Promise<ListedScope[]> {
  const { rows } = await db.pool.query<ListedScope>(
    `SELECT c.id, c.name, c.description, c.created_at AS "createdAt",
       coalesce((SELECT jsonb_agg(jsonb_build_object('id', a.id, 'name', a.name, 'grantedBy', m.name, 'grantedAt', g.created_at)
                   ORDER BY a.name, a.id)
         FROM grants g JOIN agents a ON a.id = g.agent_id AND a.archived_at IS NULL
         JOIN members m ON m.workspace_id = g.workspace_id AND m.id = g.granted_by
         WHERE g.workspace_id = c.workspace_id AND g.scope_id = c.id), '[]') AS agents,
       ARRAY(SELECT t.name FROM tool_details d JOIN tools t ON t.id = d.tool_id
         WHERE c.name = ANY(d.required_secret_scopes) AND (d.workspace_id IS NULL OR d.workspace_id = c.workspace_id)
         ORDER BY t.name) AS tools
     FROM secret_scopes c WHERE c.workspace_id = $1 ORDER BY c.name LIMIT $2`,
    [workspaceId, limits.pageRows],
  )
  return rows
}

export interface LackingTool {
  agent: { id: string; name: string }
  tool: { id: string; name: string }
  scope: string
  scopeId: string | null
  /** `no_scope`: nobody has made it. `expired`: every secret in it is past its date. */
  reason: 'no_scope' | 'not_granted' | 'no_secret' | 'expired'
}

/** The attached tools that a call would refuse, because a scope they declare gives their agent nothing. */
export async function listLackingTools(db: { pool: Queryable }, workspaceId: string): Promise<LackingTool[]> {
  const { rows } = await db.pool.query<LackingTool>(
    `SELECT * FROM (
       SELECT jsonb_build_object('id', a.id, 'name', a.name) AS agent, jsonb_build_object('id', t.id, 'name', t.name) AS tool,
         need.scope, c.id AS "scopeId",
         CASE WHEN c.id IS NULL THEN 'no_scope' WHEN g.agent_id IS NULL THEN 'not_granted'
           WHEN held.current IS NULL THEN 'no_secret' WHEN NOT held.current THEN 'expired' END AS reason
       FROM agents a JOIN agent_tools x ON x.agent_id = a.id JOIN tools t ON t.id = x.tool_id
       JOIN tool_details d ON d.tool_id = t.id AND d.gone_at IS NULL AND d.disabled_at IS NULL
       CROSS JOIN LATERAL unnest(d.required_secret_scopes) AS need(scope)
       LEFT JOIN secret_scopes c ON c.workspace_id = a.workspace_id AND c.name = need.scope
       LEFT JOIN grants g ON g.agent_id = a.id AND g.scope_id = c.id
       LEFT JOIN LATERAL (SELECT bool_or(v.expires_at IS NULL OR v.expires_at > now()) AS current FROM secrets s
         JOIN secret_versions v ON v.secret_id = s.id AND v.retired_at IS NULL
         WHERE s.scope_id = c.id AND s.deleted_at IS NULL) held ON true
       WHERE a.workspace_id = $1 AND a.archived_at IS NULL
     ) lacking WHERE reason IS NOT NULL ORDER BY scope, agent->>'name', tool->>'name' LIMIT $2`,
    [workspaceId, limits.pageRows],
  )
  return rows
}
